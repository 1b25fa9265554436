import { describe, expect, it } from "vitest";
import { entryId } from "../../src/shared/memory-entries.ts";
import { makeDigestsInstant } from "../support/instant-digest.ts";
import { ANN, MemoryLab, add, proposal, takeAll } from "./consolidation/memory-lab.ts";

const PHONE = "Ann's phone number is 4711";
const STATE = "memory/.consolidation/state.json";

// Every order of the two is reached by counting turns of the queue only where nothing waits for another thread.
makeDigestsInstant();

/** A run that was shown a fact and takes it over in words of its own. */
async function begun(hasState: boolean): Promise<MemoryLab> {
  const lab = await MemoryLab.atNoon();
  if (hasState) {
    await lab.flush("2026-11-29", ["Ann lives in Oslo"]);
    await lab.run(takeAll);
  }
  await lab.flush("2026-11-30", [PHONE, "Ann moved to Bergen"]);
  await lab.lab.pass(60_000);
  await lab.begin({}, null, "run-a");
  return lab;
}

const operations = proposal([add("Ann moved to Bergen, her phone number is 4711", ["L2"])]);

const forget = (lab: MemoryLab, op = "op") => lab.memory.forget([entryId(PHONE)], "user:ann", op);

describe("forgetting while a run is applied", () => {
  it.each([false, true])(
    "[M7] leaves nothing of it in MEMORY.md, whoever is first (with a cursor: %s)",
    async (hasState) => {
      for (let turns = 0; turns < 60; turns += 5)
        for (const isForgetFirst of [true, false]) {
          const lab = await begun(hasState);
          const calls = [
            () => forget(lab),
            () => lab.memory.commitRun("run-a", operations),
          ] as const;
          const [first, second] = isForgetFirst ? calls : calls.toReversed();
          const one = first?.();
          for (let at = 0; at < turns; at += 1) await Promise.resolve();
          await Promise.all([one, second?.()]);
          expect((await lab.text()) ?? "").not.toContain("4711");
        }
    },
  );

  it("[M7] sees a run that is applied between any two of its reads", async () => {
    let reached = 0;
    for (let at = 1; reached === at - 1; at += 1) {
      const lab = await begun(true);
      const bucket = lab.lab.bucket(ANN);
      const readMany = bucket.readMany.bind(bucket);
      let reads = 0;
      bucket.readMany = async (request) => {
        const answer = await readMany(request);
        reads += 1;
        if (reads !== at) return answer;
        reached = at;
        await lab.memory.commitRun("run-a", operations);
        return answer;
      };
      await forget(lab);
      expect([at, (await lab.text()) ?? ""]).not.toEqual([at, expect.stringContaining("4711")]);
    }
    expect(reached).toBeGreaterThan(2);
  });

  it("[M7] lets a run come to nothing that had read its files before, by another cursor each time", async () => {
    for (const hasState of [false, true]) {
      const lab = await begun(hasState);
      const before = await lab.text(STATE);
      const bucket = lab.lab.bucket(ANN);
      const change = bucket.change.bind(bucket);
      let isLate = true;
      bucket.change = async (request) => {
        if (isLate && request.by === "job:consolidation") {
          isLate = false;
          // What forgetting does to the files, at the last moment.
          await change({
            by: "user:ann",
            changes: [
              { kind: "write", path: STATE, content: { text: `${before ?? "{}"} ` } },
              { kind: "write", path: "memory/2026-11-30.md", content: { text: "" } },
            ],
          });
          await lab.memory.abandonRun("run-a", "forgotten");
        }
        return change(request);
      };
      expect((await lab.memory.commitRun("run-a", operations)).state).toBe("lost");
      expect((await lab.text()) ?? "").not.toContain("4711");
    }
  });

  it("[M7] changes the cursor each time, where there was none too", async () => {
    const lab = await MemoryLab.atNoon();
    const seen = new Set([await lab.text(STATE)]);
    for (const op of ["one", "two", "three"]) {
      await lab.flush("2026-11-30", [PHONE]);
      await forget(lab, op);
      seen.add(await lab.text(STATE));
    }
    expect(seen.size).toBe(4);
  });
});

describe("forgetting many equal entries", () => {
  it("[M7] looks at each once", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.write("memory/2026-11-30.md", `- ${PHONE}\n`.repeat(10_000));
    expect(await forget(lab)).toMatchObject({ entries: 10_000 });
    expect(await lab.text("memory/2026-11-30.md")).toBe("");
  });
});
