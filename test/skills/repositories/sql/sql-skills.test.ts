import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSqlSkills } from "../../../../src/skills/repositories/sql/create-sql-skills.ts";
import type { SkillDatabase } from "../../../../src/skills/repositories/sql/database.ts";
import { sqlSkills } from "../../../../src/skills/repositories/sql/sql-skills.ts";
import { skillTablesSql } from "../../../../src/skills/repositories/sql/tables.ts";
import {
  repositoryLimits,
  type FetchedSkill,
} from "../../../../src/skills/repositories/repository.ts";
import {
  binaryFile,
  describeSkillRepository,
  skillOf,
  skillText,
  textFile,
} from "../../../contracts/skill-repository-contract.ts";
import { dataOf } from "../published.ts";
import { localD1 } from "./local-d1.ts";

let open: Awaited<ReturnType<typeof localD1>>;
beforeAll(async () => {
  open = await localD1();
});
afterAll(() => open.close());

const scopes = (function* () {
  for (let no = 0; ; no += 1) yield `scope-${no}`;
})();
const nextScope = (): string => scopes.next().value ?? "";

/** Rows of other hands, which nobody has checked. */
async function put(scope: string, skills: readonly FetchedSkill[], at = 0): Promise<void> {
  const { db } = open;
  const skill = db.prepare("INSERT INTO carrel_skill VALUES (?, ?, '', ?, ?)");
  const file = db.prepare("INSERT INTO carrel_skill_file VALUES (?, ?, ?, ?, ?)");
  const rows = skills.flatMap(({ directory, files }) => [
    skill.bind(scope, directory, "", at),
    ...files.map((one) => {
      const { path, content, executable } = one;
      const value = "text" in content ? content.text : Uint8Array.from(dataOf(one)).buffer;
      return file.bind(scope, directory, path, value, executable ? 1 : 0);
    }),
  ]);
  await db.batch([
    db.prepare("DELETE FROM carrel_skill WHERE scope = ?").bind(scope),
    db.prepare("DELETE FROM carrel_skill_file WHERE scope = ?").bind(scope),
    ...rows,
  ]);
}

describeSkillRepository(
  "skills of a D1 database",
  async (skills) => {
    const scope = nextScope();
    let at = 0;
    let state: "fails" | "stalls" | null = null;
    await put(scope, skills);
    const db: SkillDatabase = {
      prepare: (query) => open.db.prepare(query),
      batch(statements) {
        if (state === "fails") return Promise.reject(new Error("D1_ERROR: away"));
        return state === "stalls" ? new Promise(() => {}) : open.db.batch(statements);
      },
    };
    return {
      repository: sqlSkills({ binding: "SKILLS", scope }),
      fetch: () => Promise.reject(new Error("nothing is fetched")),
      binding: (name) => (name === "SKILLS" ? db : undefined),
      put: (others) => put(scope, others, (at += 1)),
      break: (how) => void (state = how),
    };
  },
  { keepsExecutable: true },
);

const fetchOf = (scope: string, db: unknown = open.db) =>
  sqlSkills({ binding: "SKILLS", scope }).take(null, {
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    binding: () => db,
    limits: repositoryLimits,
    signal: new AbortController().signal,
  });

const pdf = [
  textFile("SKILL.md", skillText("pdf")),
  textFile("scripts/run.sh", "#!/bin/sh\n", true),
  binaryFile("assets/logo.png", Uint8Array.of(0, 255, 1)),
];

describe("skills that are saved in a D1 database", () => {
  it("[K2] come back as they were, in their scope only", async () => {
    const [ours, theirs] = [nextScope(), nextScope()];
    const saved = await createSqlSkills(open.db, ours, { clock: { now: () => 7 } }).save(pdf);
    expect(saved).toMatchObject({
      name: "pdf",
      description: "What pdf is good for.",
      updatedAt: 7,
    });
    expect(await fetchOf(ours)).toMatchObject({
      skills: [{ directory: "pdf", files: pdf.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }],
      problems: [],
    });
    expect(await fetchOf(theirs)).toMatchObject({ skills: [] });
    expect(await createSqlSkills(open.db, theirs).list()).toEqual([]);
    expect(await createSqlSkills(open.db, ours).list()).toEqual([saved]);
  });

  it("[K8] one that is there is a conflict, and stays as it is, unless it is forced", async () => {
    const scope = nextScope();
    const skills = createSqlSkills(open.db, scope);
    await skills.save(pdf);
    const other = [textFile("SKILL.md", skillText("pdf", "Other."))];
    await expect(skills.save(other)).rejects.toMatchObject({ code: "conflict" });
    expect(await fetchOf(scope)).toMatchObject({ skills: [{ files: { length: 3 } }] });
    await skills.save(other, { force: true });
    expect(await fetchOf(scope)).toMatchObject({ skills: [{ files: other }] });
  });

  it("[K8] of two that are saved at once, one is there whole, and the other one knows", async () => {
    const scope = nextScope();
    const skills = createSqlSkills(open.db, scope);
    const other = [textFile("SKILL.md", skillText("pdf", "Other."))];
    const results = await Promise.allSettled([skills.save(pdf), skills.save(other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const answer = await fetchOf(scope);
    const files = answer === "unchanged" ? 0 : answer.skills[0]?.files.length;
    expect(files).toBe(results[0]?.status === "fulfilled" ? 3 : 1);
  });

  it("[K1] writing is strict: nothing is kept of what is not as the rules want it", async () => {
    const scope = nextScope();
    const skills = createSqlSkills(open.db, scope);
    const text = textFile("SKILL.md", skillText("pdf"));
    for (const [files, code] of [
      [[textFile("README.md", "x")], "invalid"],
      [[textFile("SKILL.md", skillText("Not A Name"))], "invalid"],
      [[text, textFile("../evil", "x")], "invalid"],
      [[text, textFile("scripts/a", "x"), textFile("scripts/a/b", "x")], "invalid"],
      [[text, binaryFile("assets/x.bin", new Uint8Array(1_900_001))], "too_large"],
    ] as const)
      await expect(skills.save(files)).rejects.toMatchObject({ code });
    expect(await skills.list()).toEqual([]);
  });

  it("[K8] are removed with all their files, once", async () => {
    const scope = nextScope();
    const skills = createSqlSkills(open.db, scope);
    await skills.save(pdf);
    expect([await skills.remove("pdf"), await skills.remove("pdf")]).toEqual([true, false]);
    expect(await fetchOf(scope)).toMatchObject({ skills: [] });
    await skills.save([textFile("SKILL.md", skillText("pdf"))]);
    expect(await fetchOf(scope)).toMatchObject({ skills: [{ files: { length: 1 } }] });
  });

  it("[K2] what is changed while it is read is not given in two halves", async () => {
    const scope = nextScope();
    await put(scope, [skillOf("ant"), skillOf("bee")]);
    let isFirst = true;
    const db: SkillDatabase = {
      prepare: (query) => open.db.prepare(query),
      async batch<Row>(statements: Parameters<SkillDatabase["batch"]>[0]) {
        const results = await open.db.batch<Row>(statements);
        if (isFirst) await put(scope, [skillOf("bee")], 1);
        isFirst = false;
        return results;
      },
    };
    await expect(fetchOf(scope, db)).rejects.toMatchObject({ code: "unavailable" });
    expect(await fetchOf(scope, db)).toMatchObject({ skills: [{ directory: "bee" }] });
  });

  it("[I1] names that could be more than names are refused before anything is asked", () => {
    for (const scope of ["", "a b", "x'; DROP TABLE carrel_skill; --", "a".repeat(65), "../x"]) {
      expect(() => sqlSkills({ binding: "SKILLS", scope })).toThrow("scope");
      expect(() => createSqlSkills(open.db, scope)).toThrow("scope");
    }
    for (const skills of ["", "1a", 'a"b', "a b", "a".repeat(65), "files"]) {
      const tables = { skills, files: "files" };
      expect(() => sqlSkills({ binding: "SKILLS", scope: "a", tables })).toThrow("tables");
      expect(() => skillTablesSql(tables)).toThrow("tables");
    }
  });

  it("[K1] a binding that is no database is named", async () => {
    for (const db of [null, "x", {}])
      await expect(fetchOf("a", db)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("SKILLS"),
      });
  });
});
