import { beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { bundledSkills } from "../../../src/skills/repositories/bundled-skills.ts";
import { stagingOf } from "../../../src/skills/repositories/index-file.ts";
import { skillOf, skillText } from "../../contracts/skill-repository-contract.ts";
import { HARMFUL, saying, ScriptedRepository, SyncBench } from "./sync/bench.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let bench: SyncBench;
let house: ScriptedRepository;
beforeEach(() => {
  bench = new SyncBench();
  house = new ScriptedRepository().put("1", skillOf("pdf"));
});

describe("repositories of an agent", () => {
  it("[K2] are asked when nobody ever did, and then once an hour", async () => {
    const sync = bench.sync(house);
    for (const [wait, asked] of [
      [0, 1],
      [30 * MINUTE, 1],
      [30 * MINUTE, 2],
      [59 * MINUTE, 2],
      [MINUTE, 3],
    ] as const) {
      await bench.lab.clock.pass(wait);
      await sync.syncIfDue();
      expect(house.asked).toHaveLength(asked);
    }
  });

  it("[K2] are asked by one of many sessions only", async () => {
    const sessions = Array.from({ length: 5 }, () => bench.sync(house));
    await Promise.all(sessions.map((sync) => sync.syncIfDue()));
    expect(house.asked).toHaveLength(1);
    await bench.lab.clock.pass(HOUR);
    await Promise.all(sessions.map((sync) => sync.syncIfDue()));
    expect(house.asked).toHaveLength(2);
  });

  it("[K2] one who died while asking holds the others up for five minutes", async () => {
    house.before = () => new Promise(() => {});
    const dead = bench.sync(house).syncIfDue();
    await bench.lab.clock.pass(0);
    house.before = () => {};
    const sync = bench.sync(house);
    await sync.syncIfDue();
    expect(house.asked).toHaveLength(1);
    bench.workspace.change = ((change) => async (request) => {
      // The dead one writes nothing any more.
      if (house.asked.length < 2 && !JSON.stringify(request).includes("claim.json"))
        throw new Error("gone");
      return change(request);
    })(bench.workspace.change);
    await bench.lab.clock.pass(5 * MINUTE);
    await dead;
    await sync.syncIfDue();
    expect(house.asked).toHaveLength(2);
    expect((await bench.index(house)).skills).toHaveLength(1);
  });

  it("[K2] cost nothing while there is nothing to do", async () => {
    const sync = bench.sync(house);
    await sync.syncIfDue();
    await sync.syncIfDue();
    const { length } = bench.lab.calls;
    for (let minute = 0; minute < 4; minute += 1) {
      await bench.lab.clock.pass(MINUTE);
      await sync.syncIfDue();
    }
    expect(bench.lab.calls.length).toBe(length);
    await bench.lab.clock.pass(2 * MINUTE);
    await sync.syncIfDue();
    expect(bench.lab.calls.length).toBe(length + 1);
  });

  it("[K1] one that fails, and one whose files cannot be written, hide nothing of the others", async () => {
    const failing = new ScriptedRepository("failing");
    failing.before = () => Promise.reject(new Error("away"));
    const full = new ScriptedRepository("full").put("1", skillOf("owl"));
    const { change } = bench.workspace;
    bench.workspace.change = (request) =>
      request.changes.some(({ path }) => path.startsWith(stagingOf(full)))
        ? Promise.reject(new CarrelError("quota_exceeded", "The workspace is full."))
        : change(request);
    await bench.sync(failing, full, house).syncIfDue();
    expect((await bench.index(house)).skills).toHaveLength(1);
    expect(bench.logged.toSorted()).toEqual(["skills.repository_failed", "skills.sync_failed"]);
  });

  it("[K1] one that fails is asked again later and later, at least once an hour", async () => {
    house.before = () => Promise.reject(new Error("away"));
    const sync = bench.sync(house);
    const waits: number[] = [];
    let last = 0;
    for (let minute = 0; minute <= 200; minute += 1) {
      const before = house.asked.length;
      await sync.syncIfDue();
      if (house.asked.length > before && minute > 0) {
        waits.push(minute - last);
        last = minute;
      }
      await bench.lab.clock.pass(MINUTE);
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
  });

  it("[K2] what a new deployment brings is there at once, and asked for no more", async () => {
    const filesOf = (text: string) => ({ "pdf/SKILL.md": skillText("pdf", text) });
    const before = bundledSkills({ label: "house", files: filesOf("one") });
    await bench.sync(before).syncIfDue();
    await bench.lab.clock.pass(10 * MINUTE);
    const after = bundledSkills({ label: "house", files: filesOf("two") });
    const sync = bench.sync(after);
    await sync.syncIfDue();
    const { skills } = await bench.index(after);
    expect(await bench.text(`${skills[0]?.directory}/SKILL.md`)).toContain("two");
    const written = bench.lab.written();
    await bench.lab.clock.pass(50 * HOUR);
    await sync.syncIfDue();
    expect(bench.lab.written()).toBe(written);
  });

  it("[K2] a person has them asked at once, whoever was before", async () => {
    const sync = bench.sync(house);
    await sync.syncIfDue();
    house.put("2", skillOf("owl"));
    await sync.syncNow(new AbortController().signal);
    expect((await bench.index(house)).skills).toMatchObject([{ name: "owl" }]);
    await expect(sync.syncNow(AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });
});

describe("the state of repositories", () => {
  it("[K1] says how old what is there is, and why nothing newer is", async () => {
    const sync = bench.sync(house);
    expect(await sync.overview()).toMatchObject([
      { label: "house", state: "pending", ageMs: null, skills: 0, failure: null },
    ]);
    house.problems = ["one is left out"];
    await sync.syncIfDue();
    await bench.lab.clock.pass(HOUR);
    house.before = () => Promise.reject(new CarrelError("unavailable", "The server is away."));
    await sync.syncIfDue();
    expect(await sync.overview()).toEqual([
      {
        label: "house",
        trust: "community",
        state: "failing",
        revision: "1",
        fetchedAt: 0,
        checkedAt: 0,
        ageMs: HOUR,
        failure: { at: HOUR, why: "The server is away.", times: 1 },
        problems: ["one is left out"],
        skills: 1,
        quarantined: [],
      },
    ]);
  });

  it("[K9] shows what is in quarantine with what was found", async () => {
    const sync = bench.sync(house.put("1", skillOf("good"), saying("evil", HARMFUL)));
    await sync.syncIfDue();
    expect(await sync.overview()).toMatchObject([
      {
        state: "ok",
        skills: 1,
        quarantined: [
          {
            name: "evil",
            verdict: "dangerous",
            findings: expect.arrayContaining([
              expect.objectContaining({ path: "SKILL.md", verdict: "dangerous" }),
            ]),
          },
        ],
      },
    ]);
  });
});
