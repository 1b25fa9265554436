import { beforeEach, describe, expect, it } from "vitest";
import { indexPath, stagingOf } from "../../../../src/skills/repositories/index-file.ts";
import {
  binaryFile,
  skillOf,
  skillText,
  textFile,
} from "../../../contracts/skill-repository-contract.ts";
import { HARMFUL, saying, ScriptedRepository, SyncBench } from "./bench.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

let bench: SyncBench;
let house: ScriptedRepository;
beforeEach(() => {
  bench = new SyncBench();
  house = new ScriptedRepository();
});

const pdf = skillOf(
  "pdf",
  textFile("scripts/run.sh", "#!/bin/sh\n", true),
  binaryFile("assets/logo.png", Uint8Array.of(0, 255, 1)),
  textFile("references/größe.md", ""),
);

describe("a repository that is brought up to date", () => {
  it("[K2] shows its skills, with all their files, to whoever shares the bucket", async () => {
    house.put("1", pdf);
    expect(await bench.run(house)).toMatchObject({ outcome: "synced", written: 4 });
    const { skills, revision, failure, problems } = await bench.index(house);
    expect({ revision, failure, problems }).toEqual({ revision: "1", failure: null, problems: [] });
    expect(skills).toMatchObject([
      { name: "pdf", description: "What pdf is good for.", verdict: "safe", quarantined: null },
    ]);
    const directory = skills[0]?.directory ?? "";
    expect(directory.startsWith(`${stagingOf(house)}/`)).toBe(true);
    const ann = bench.lab.workspace();
    expect(await bench.text(`${directory}/SKILL.md`, ann)).toBe(skillText("pdf"));
    expect(await bench.text(`${directory}/assets/logo.png`)).toBe("3 bytes");
    expect(await bench.text(`${directory}/references/größe.md`)).toBe("");
    const run = await bench.workspace.read({ path: `${directory}/scripts/run.sh` });
    expect(run.file.executable).toBe(true);
  });

  it("[K9] names nothing in its index before all of it is there", async () => {
    const seen: unknown[] = [];
    const { change } = bench.workspace;
    bench.workspace.change = async (request) => {
      const isIndex = request.changes.some(({ path }) => path === indexPath(house));
      seen.push(isIndex ? await bench.kept() : "files");
      return change(request);
    };
    await bench.run(house.put("1", pdf));
    expect(seen).toEqual(["files", expect.arrayContaining(["SKILL.md", "scripts/run.sh"])]);
  });

  it("[K9] what the scan does not allow is not there at all, and said with what was found", async () => {
    house.put("1", skillOf("good"), saying("evil", HARMFUL));
    await bench.run(house);
    const { skills } = await bench.index(house);
    const [good, evil] = skills;
    expect(good).toMatchObject({ name: "good", quarantined: null });
    expect(evil).toMatchObject({ name: "evil", verdict: "dangerous" });
    expect(evil?.quarantined).toContain("community");
    expect(evil?.findings.length).toBeGreaterThan(0);
    expect((await bench.kept()).filter((path) => path === "SKILL.md")).toHaveLength(1);
  });

  it("[K9] another trust is another place, so nothing is seen that it would not allow", async () => {
    house.trust = "builtin";
    await bench.run(house.put("1", saying("evil", HARMFUL)));
    expect((await bench.index(house)).skills[0]?.quarantined).toBeNull();
    house.trust = "community";
    await expect(bench.index(house)).rejects.toMatchObject({ code: "not_found" });
    await bench.run(house);
    expect(house.asked).toEqual([null, null]);
    expect((await bench.index(house)).skills[0]?.quarantined).not.toBeNull();
  });

  it("[K1] a bad skill, a second one of a name and what is beyond the limits take nothing from the others", async () => {
    const bad = { directory: "bad", files: [textFile("SKILL.md", "no front matter")] };
    const none = { directory: "none", files: [textFile("README.md", "x")] };
    const blob = { directory: "blob", files: [binaryFile("SKILL.md", Uint8Array.of(0))] };
    const twin = { directory: "twin", files: [textFile("SKILL.md", skillText("ant"))] };
    const evil = skillOf("evil", textFile("../../index.json", "{}"));
    const proto = skillOf("__proto__");
    house.put("1", skillOf("ant"), bad, none, blob, twin, evil, proto, skillOf("bee"));
    house.problems = ["one more"];
    await bench.run(house);
    const { skills, problems } = await bench.index(house);
    expect(skills.map(({ name }) => name)).toEqual(["ant", "__proto__", "bee"]);
    expect(problems).toHaveLength(6);
    for (const name of ["one more", "bad", "none", "blob", "twin", "evil"])
      expect(problems.join("\n")).toContain(name);
  });

  it("[K1] skill.md is taken for SKILL.md", async () => {
    const files = [textFile("skill.md", skillText("pdf")), textFile("references/SKILL.md", "x")];
    await bench.run(house.put("1", { directory: "pdf", files }));
    expect((await bench.kept()).toSorted()).toEqual([
      "SKILL.md",
      "index.json",
      "references/SKILL.md",
    ]);
  });

  it("[K1] what a skill is called has no way out of the directory that is kept", async () => {
    const text = "---\nname: ../../../AGENTS.md\ndescription: d\n---\nx";
    await bench.run(house.put("1", { directory: "odd", files: [textFile("SKILL.md", text)] }));
    const { files } = await bench.workspace.glob({ pattern: "**", limit: 100 });
    expect(files.every(({ path }) => path.startsWith(`${stagingOf(house)}/`))).toBe(true);
  });
});

describe("a repository that is asked again", () => {
  it("[K2] is not written again where nothing has changed, and says every ten minutes that it was asked", async () => {
    await bench.run(house.put("1", pdf));
    const before = bench.lab.written();
    await bench.lab.clock.pass(9 * MINUTE);
    expect(await bench.run(house)).toMatchObject({ outcome: "unchanged", written: 0 });
    expect(bench.lab.written()).toBe(before);
    await bench.lab.clock.pass(MINUTE);
    await bench.run(house);
    expect(await bench.index(house)).toMatchObject({ at: 0, checkedAt: 10 * MINUTE });
    expect(house.asked).toEqual([null, "1", "1"]);
  });

  it("[K2] writes only the skills that are others, and the old ones go a day later", async () => {
    await bench.run(house.put("1", pdf, saying("ant", "one")));
    await bench.lab.clock.pass(2 * DAY);
    expect(await bench.run(house.put("2", pdf, saying("ant", "two")))).toMatchObject({
      written: 1,
    });
    expect((await bench.kept()).filter((path) => path === "SKILL.md")).toHaveLength(3);
    const old = (await bench.index(house)).retired[0]?.directory ?? "";
    expect(await bench.text(`${old}/SKILL.md`)).toContain("one");
    await bench.lab.clock.pass(DAY + MINUTE);
    await bench.run(house);
    expect((await bench.kept()).filter((path) => path === "SKILL.md")).toHaveLength(2);
    const { retired, skills } = await bench.index(house);
    expect(retired).toEqual([]);
    for (const { directory } of skills)
      expect(await bench.text(`${directory}/SKILL.md`)).not.toBe("");
  });

  it("[K2] what came back is not deleted", async () => {
    for (const version of ["1", "2", "3"]) {
      await bench.run(house.put(version, saying("ant", version === "2" ? "other" : "first")));
      await bench.lab.clock.pass(DAY - MINUTE);
    }
    await bench.run(house.put("4", saying("ant", "first"), skillOf("bee")));
    const { skills, retired } = await bench.index(house);
    expect(await bench.text(`${skills[0]?.directory}/SKILL.md`)).toContain("first");
    expect(retired.map(({ directory }) => directory)).not.toContain(skills[0]?.directory);
  });

  it("[K2] files that no index ever named go a day later; those of others stay", async () => {
    const other = new ScriptedRepository("other").put("1", skillOf("owl"));
    await bench.run(other);
    const { change } = bench.workspace;
    bench.workspace.change = (request) =>
      request.changes.some(({ path }) => path === indexPath(house))
        ? Promise.reject(new Error("the object is gone"))
        : change(request);
    await expect(bench.run(house.put("1", skillOf("ant")))).rejects.toThrow("gone");
    bench.workspace.change = change;
    await bench.lab.clock.pass(DAY + MINUTE);
    await bench.run(house.put("2", skillOf("bee")));
    expect((await bench.kept()).filter((path) => path === "SKILL.md")).toHaveLength(2);
    expect((await bench.index(other)).skills).toHaveLength(1);
  });

  it("[K2] a file that is missing of what is there is written again", async () => {
    await bench.run(house.put("1", pdf));
    const directory = (await bench.index(house)).skills[0]?.directory ?? "";
    const path = `${directory}/scripts/run.sh`;
    await bench.workspace.change({ by: "user:ann", changes: [{ kind: "delete", path }] });
    expect(await bench.run(house.put("2", pdf))).toMatchObject({ written: 1 });
    expect(await bench.text(path)).toContain("#!");
  });
});
