import { beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../../../src/shared/errors.ts";
import { indexPath } from "../../../../src/skills/repositories/index-file.ts";
import { skillOf } from "../../../contracts/skill-repository-contract.ts";
import { saying, ScriptedRepository, SyncBench } from "./bench.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const DAY = 86_400_000;

let bench: SyncBench;
let house: ScriptedRepository;
beforeEach(() => {
  bench = new SyncBench();
  house = new ScriptedRepository();
});

const pdf = skillOf("pdf");

describe("syncs of one repository at once", () => {
  /** Each of them waits in the repository until all of them are there. */
  const meet = (count: number) => {
    let go = () => {};
    const all = new Promise<void>((resolve) => void (go = resolve));
    let here = 0;
    return async () => {
      here += 1;
      if (here === count) go();
      await all;
    };
  };

  it("[K2] end in one index whose files are all there", async () => {
    house.before = meet(4);
    house.put("1", pdf, saying("ant", "one"));
    const reports = await Promise.all(Array.from({ length: 4 }, () => bench.run(house)));
    expect(reports.some(({ outcome }) => outcome === "synced")).toBe(true);
    const { skills, retired } = await bench.index(house);
    expect(skills.map(({ name }) => name)).toEqual(["pdf", "ant"]);
    expect(retired).toEqual([]);
    for (const { directory } of skills)
      expect(await bench.text(`${directory}/SKILL.md`)).not.toBe("");
  });

  it("[K2] the one that was begun last counts, whichever ends first", async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => void (letGo = resolve));
    house.before = () => held;
    const early = bench.run(house.put("1", saying("ant", "old")));
    await bench.lab.clock.pass(SECOND);
    house.before = () => {};
    await bench.run(house.put("2", saying("ant", "new")));
    letGo();
    expect(await early).toMatchObject({ outcome: "overtaken" });
    expect(await bench.index(house)).toMatchObject({ revision: "2", failure: null });
  });

  it("[K1] one that fails late does not say so over an answer that is newer", async () => {
    let fail = () => {};
    const held = new Promise<void>((_, reject) => {
      fail = () => reject(new CarrelError("unavailable", "away"));
    });
    house.before = () => held;
    const early = bench.run(house.put("1", pdf));
    await bench.lab.clock.pass(SECOND);
    house.before = () => {};
    await bench.run(house);
    fail();
    expect(await early).toMatchObject({ outcome: "overtaken" });
    expect((await bench.index(house)).failure).toBeNull();
  });

  it("[K2] never delete what another one is about to name", async () => {
    await bench.run(house.put("1", saying("ant", "one")));
    await bench.run(house.put("2", saying("ant", "two")));
    await bench.lab.clock.pass(DAY + MINUTE);
    const { change } = bench.workspace;
    let isFirst = true;
    bench.workspace.change = async (request) => {
      // Between looking what is there and naming it, somebody else tidies up.
      const isIndex = request.changes.some(({ path }) => path === indexPath(house));
      if (isIndex && isFirst) {
        isFirst = false;
        const other = new ScriptedRepository().put("2", saying("ant", "two"));
        await bench.run(other);
      }
      return change(request);
    };
    await bench.run(house.put("3", saying("ant", "one")));
    const { skills } = await bench.index(house);
    for (const { directory } of skills)
      expect(await bench.text(`${directory}/SKILL.md`)).toContain("ant");
  });

  it("[K2] delete nothing that another one has named since they looked", async () => {
    await bench.run(house.put("1", saying("ant", "one")));
    await bench.run(house.put("2", saying("ant", "two")));
    await bench.lab.clock.pass(DAY + MINUTE);
    const { change } = bench.workspace;
    let isFirst = true;
    bench.workspace.change = async (request) => {
      if (isFirst && request.changes.some(({ kind }) => kind === "delete")) {
        isFirst = false;
        await bench.run(new ScriptedRepository().put("3", saying("ant", "one")));
      }
      return change(request);
    };
    await bench.run(house);
    expect(isFirst).toBe(false);
    const { revision, skills } = await bench.index(house);
    expect(revision).toBe("3");
    expect(await bench.text(`${skills[0]?.directory}/SKILL.md`)).toContain("one");
    expect(bench.logged).toEqual(["skills.cache_not_tidied"]);
  });

  it("[K2] that nothing has changed is not said of what another one has brought", async () => {
    const held = [0, 1].map(() => Promise.withResolvers<void>());
    await bench.run(house.put("1", pdf));
    await bench.lab.clock.pass(11 * MINUTE);
    house.before = () => held[0]?.promise;
    const early = bench.run(house.put("2", saying("ant", "new")));
    await bench.lab.clock.pass(SECOND);
    house.before = () => held[1]?.promise;
    const late = bench.run(house.put("1", pdf));
    await bench.lab.clock.pass(0);
    held[0]?.resolve();
    await early;
    held[1]?.resolve();
    expect(await late).toMatchObject({ outcome: "overtaken" });
    expect(await bench.index(house)).toMatchObject({ revision: "2", checkedAt: 11 * MINUTE });
  });
});
