import { describe, expect, it } from "vitest";
import { entryId } from "../../src/shared/memory-entries.ts";
import { ANN, MemoryLab, NOW, OPTIONS } from "./consolidation/memory-lab.ts";

const PHONE = "Ann's phone number is 4711";

const log = (session: string, agent = "main") => `agents/${agent}/sessions/${session}.log.jsonl`;

const said = (turn: string, text: string, kind = "user") => {
  const parts = [{ type: "text", text }];
  return { seq: 1, turn, at: NOW, kind, ...(kind === "user" ? { content: parts } : { parts }) };
};

const call = (turn: string, name: string, input: object) => ({
  ...said(turn, "", "step"),
  parts: [{ type: "tool-call", call: "c", name, input: JSON.stringify(input) }],
});

const end = (turn: string) => ({ kind: "end", turn, at: NOW });

const write = (lab: MemoryLab, path: string, ...lines: readonly object[]) =>
  lab.append(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const found = async (lab: MemoryLab, query = "phone number 4711") => {
  const { hits } = await lab.workspace.search({ query, limit: 100, sources: ["session"] });
  return hits.filter(({ snippet }) => snippet.includes("4711")).map(({ path }) => path);
};

const forget = (lab: MemoryLab, op = "op") => lab.memory.forget([entryId(PHONE)], "user:ann", op);

describe("messages that say again what is forgotten", () => {
  it("[M7] [I1] are hidden in all of the agent's sessions, not only where it was told", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", [PHONE]);
    await write(lab, log("s1"), said("t1", `By the way: ${PHONE}`));
    await write(lab, log("s2"), said("t7", "Oslo is cold"), said("t8", PHONE, "step"));
    await write(lab, log("s3"), said("t9", "A phone has a number"));
    expect(await found(lab)).toHaveLength(2);
    expect(await forget(lab)).toMatchObject({ hidden: 2 });
    expect(await found(lab)).toEqual([]);
    expect(await forget(lab)).toMatchObject({ hidden: 2 });
  });

  it("[M7] are hidden where nobody knows in which session it was said", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.write("MEMORY.md", `- ${PHONE}\n`);
    await write(lab, log("s2"), said("t8", PHONE));
    await forget(lab);
    expect(await found(lab)).toEqual([]);
  });

  it("[M7] are hidden however many there are", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", [PHONE], { session: "main/s9" });
    const lines = Array.from({ length: 250 }, (_, no) => said(`t${no}`, `${PHONE}, again ${no}`));
    await write(lab, log("s2"), ...lines);
    expect(await forget(lab)).toMatchObject({ hidden: 250 });
    expect(await found(lab)).toEqual([]);
  });

  it("[M7] stay hidden from who asks late, after hiding failed", async () => {
    for (const op of ["op", "another"]) {
      const lab = await MemoryLab.atNoon();
      await lab.flush("2026-11-30", [PHONE]);
      await write(lab, log("s1"), said("t1", PHONE));
      lab.lab.before = ({ method }) => {
        if (method === "hideMessages") throw new Error("not now");
      };
      await expect(forget(lab)).rejects.toThrow();
      lab.lab.before = () => {};
      await lab.lab.pass(11 * 60_000);
      await lab.memory.tidy(OPTIONS);
      expect(await forget(lab, op)).toMatchObject({ hidden: 1 });
      expect(await found(lab)).toEqual([]);
    }
  });

  it("[M7] are known to the bucket no longer once they are hidden", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", [PHONE]);
    await write(lab, log("s1"), said("t1", PHONE));
    await forget(lab);
    await lab.lab.pass(11 * 60_000);
    await lab.memory.tidy(OPTIONS);
    expect(JSON.stringify(lab.lab.sql(ANN).all("SELECT * FROM memory_fact"))).not.toContain("4711");
  });
});

describe("a log of a turn that forgets", () => {
  it("[M7] is not searched, and calls that repeat memory are not either", async () => {
    const lab = await MemoryLab.atNoon();
    await write(
      lab,
      log("s1"),
      said("t1", "Please forget that my phone number is 4711"),
      call("t1", "memory_forget", { entries: [PHONE] }),
      { ...said("t1", ""), kind: "result", name: "memory_forget", call: "c" },
      said("t1", "The phone number 4711 is forgotten", "step"),
      end("t1"),
      said("t2", "Which phone number was 4711?"),
      call("t2", "session_search", { query: "4711" }),
      end("t2"),
      call("t3", "grep", { pattern: "phone number 4711" }),
    );
    const { hits } = await lab.workspace.search({ query: "phone number 4711", limit: 100 });
    const lines = hits.filter(({ snippet }) => snippet.includes("4711")).map(({ line }) => line);
    expect(lines.toSorted((a, b) => a - b)).toEqual([6, 9]);
  });

  it("[M7] is read in whole turns, wherever the parts end in which it is read", async () => {
    const lab = await MemoryLab.atNoon();
    const before = Array.from({ length: 97 }, (_, no) => said(`b${no}`, "hello"));
    await write(
      lab,
      log("s1"),
      ...before,
      end("b96"),
      said("t1", "Forget that the phone number is 4711"),
      ...Array.from({ length: 150 }, () => said("t1", "I think", "step")),
      call("t1", "memory_forget", { entries: [PHONE] }),
      end("t1"),
      ...before,
    );
    expect(await found(lab)).toEqual([]);
    expect((await lab.workspace.search({ query: "hello", limit: 100 })).isComplete).toBe(true);
  });
});
