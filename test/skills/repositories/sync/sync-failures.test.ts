import { beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../../../src/shared/errors.ts";
import { indexPath } from "../../../../src/skills/repositories/index-file.ts";
import { skillOf } from "../../../contracts/skill-repository-contract.ts";
import { ScriptedRepository, SyncBench } from "./bench.ts";

const MINUTE = 60_000;

let bench: SyncBench;
let house: ScriptedRepository;
beforeEach(() => {
  bench = new SyncBench();
  house = new ScriptedRepository();
});

const pdf = skillOf("pdf");

describe("a repository that fails", () => {
  it("[K1] keeps what there was, and says since when, why and how often", async () => {
    await bench.run(house.put("1", pdf));
    const { skills } = await bench.index(house);
    house.before = () => Promise.reject(new CarrelError("unavailable", "The server is away."));
    for (const times of [1, 2]) {
      await bench.lab.clock.pass(MINUTE);
      expect(await bench.run(house)).toMatchObject({ outcome: "failed" });
      const index = await bench.index(house);
      expect(index).toMatchObject({ at: 0, checkedAt: 0, revision: "1", skills });
      expect(index.failure).toEqual({ at: times * MINUTE, why: "The server is away.", times });
    }
    house.before = () => {};
    await bench.run(house);
    expect(await bench.index(house)).toMatchObject({ failure: null, checkedAt: 2 * MINUTE, at: 0 });
  });

  it("[H5] shows the words of expected failures only", async () => {
    house.before = () => Promise.reject(new Error("token s3cr3t at /home/x"));
    await bench.run(house);
    const { failure, skills, at } = await bench.index(house);
    expect({ skills, at }).toEqual({ skills: [], at: null });
    expect(failure?.why).not.toContain("s3cr3t");
    expect(bench.logged).toEqual(["skills.repository_failed"]);
  });

  it("[K1] one that never answers has failed after 45 seconds", async () => {
    house.before = () => new Promise(() => {});
    const running = bench.run(house);
    await bench.lab.clock.pass(45_000);
    expect(await running).toMatchObject({ outcome: "failed" });
    expect((await bench.index(house)).failure?.why).toContain("45 seconds");
  });

  it("[K1] where nobody waits any more, nothing is written down", async () => {
    const stop = new AbortController();
    house.before = () => new Promise(() => {});
    const running = bench.run(house, stop.signal);
    stop.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
    expect(await bench.kept()).toEqual([]);
  });

  it("[K1] one that gives nonsense has failed", async () => {
    for (const answer of [
      undefined,
      null,
      7,
      {},
      { revision: "x", skills: [null], problems: [] },
    ]) {
      house.take = async () => answer as never;
      expect(await bench.run(house)).toMatchObject({ outcome: "failed" });
    }
  });

  it("[K1] an index that cannot be read stays as it is then, and is written anew by the next answer", async () => {
    const write = { kind: "write", path: indexPath(house), content: { text: "{" } } as const;
    await bench.workspace.change({ by: "user:ann", changes: [write] });
    house.before = () => Promise.reject(new CarrelError("unavailable", "away"));
    await bench.run(house);
    expect(await bench.text(indexPath(house))).toBe("{");
    house.before = () => {};
    await bench.run(house.put("1", pdf));
    expect((await bench.index(house)).skills).toHaveLength(1);
  });

  it("[W12] a read that fails is not taken for nothing: nothing is written", async () => {
    await bench.run(house.put("1", pdf));
    bench.lab.before = ({ method }) => {
      if (method === "readMany") throw new CarrelError("overloaded", "busy");
    };
    await expect(bench.run(house.put("2"))).rejects.toMatchObject({ code: "overloaded" });
    bench.lab.before = () => {};
    expect(await bench.index(house)).toMatchObject({ revision: "1" });
  });
});
