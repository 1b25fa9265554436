import * as z from "zod";
import { systemClock, type Clock } from "../../../shared/clock.ts";
import { CarrelError, invalid, tooLarge } from "../../../shared/errors.ts";
import type { SkillFile } from "../../../shared/skill-facts.ts";
import { spellSize } from "../../../shared/text.ts";
import { checkSkill } from "../../format/check-skill.ts";
import { hashSkill } from "../../format/hash.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import { bytesOf } from "../file-content.ts";
import { pathsRefusal } from "../take-skills.ts";
import type { SkillDatabase } from "./database.ts";
import { checkScope, checkTables, skillTables, type SkillTables } from "./tables.ts";

export type SavedSkill = {
  readonly name: string;
  readonly description: string;
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
};

/** The skills of a scope, for whoever runs the deployment. Every method may be repeated. */
export type SqlSkills = {
  /**
   * Keeps a skill under the name in its SKILL.md, all of it or nothing. Throws `CarrelError`: `invalid` when it is not as
   * the Agent Skills rules want it, `too_large` for a file of more than 1.9 MB, `conflict` where there is one of this name
   * and `force` is not set.
   */
  readonly save: (
    files: readonly SkillFile[],
    how?: { readonly force?: boolean },
  ) => Promise<SavedSkill>;
  /** Whether there was one. */
  readonly remove: (name: string) => Promise<boolean>;
  /** By name. */
  readonly list: () => Promise<readonly SavedSkill[]>;
};

export type SqlSkillsParts = { readonly tables?: SkillTables; readonly clock?: Pick<Clock, "now"> };

/** A row of D1 has at most 2 MB. */
const MAX_FILE = 1_900_000;

const Row = z.object({
  name: z.string(),
  description: z.string(),
  hash: z.string(),
  updated_at: z.number(),
});

/** Throws `CarrelError('invalid')` for a scope or tables that cannot be used. Makes no call. */
export function createSqlSkills(
  db: SkillDatabase,
  scope: string,
  parts: SqlSkillsParts = {},
): SqlSkills {
  const { clock = systemClock } = parts;
  const tables = checkTables(parts.tables ?? skillTables);
  checkScope(scope);
  const list = async () => {
    const { results } = await db
      .prepare(
        `SELECT name, description, hash, updated_at FROM ${tables.skills}
         WHERE scope = ? ORDER BY name`,
      )
      .bind(scope)
      .all();
    return z.array(Row).parse(results).map(savedOf);
  };
  const removal = (name: string) => [
    db.prepare(`DELETE FROM ${tables.files} WHERE scope = ? AND name = ?`).bind(scope, name),
    db.prepare(`DELETE FROM ${tables.skills} WHERE scope = ? AND name = ?`).bind(scope, name),
  ];

  return {
    list,
    async save(files, { force = false } = {}) {
      const { name, description } = headerOf(files);
      const { hash } = await hashSkill(files);
      const skill = { name, description, hash, updatedAt: clock.now() };
      const insert = db
        .prepare(
          `INSERT INTO ${tables.skills} (scope, name, description, hash, updated_at)
           VALUES (?, ?, ?, ?, ?)`,
        )
        .bind(scope, name, description, hash, skill.updatedAt);
      const bodies = files.map(({ path, content, executable }) =>
        db
          .prepare(
            `INSERT INTO ${tables.files} (scope, name, path, content, executable)
             VALUES (?, ?, ?, ?, ?)`,
          )
          .bind(scope, name, path, valueOf(content), executable ? 1 : 0),
      );
      try {
        await db.batch([...(force ? removal(name) : []), insert, ...bodies]);
      } catch (error) {
        if (!force && (await list()).some((other) => other.name === name)) throw taken(name, error);
        throw error;
      }
      return skill;
    },
    async remove(name) {
      const [, skills] = await db.batch(removal(name));
      return (skills?.meta.changes ?? 0) > 0;
    },
  };
}

const savedOf = ({ updated_at: updatedAt, ...skill }: z.output<typeof Row>): SavedSkill => ({
  ...skill,
  updatedAt,
});

const taken = (name: string, cause: unknown): CarrelError =>
  new CarrelError("conflict", `There is a skill "${name}" already. Set force to replace it.`, {
    cause,
  });

/** What D1 keeps as it is: text, or the bytes of anything else. */
function valueOf(content: SkillFile["content"]): string | ArrayBuffer {
  if ("text" in content && !content.text.includes("\0")) return content.text;
  return bytesOf(content).slice().buffer;
}

/** Throws `CarrelError` as `save` says. */
function headerOf(files: readonly SkillFile[]): { name: string; description: string } {
  const why = pathsRefusal(files.map(({ path }) => path));
  if (why !== null) throw invalid(`The skill cannot be saved: ${why}`);
  for (const { path, content } of files)
    if (bytesOf(content).length > MAX_FILE)
      throw tooLarge(`The file "${path}"`, spellSize(MAX_FILE));
  const document = files.find(({ path }) => path === "SKILL.md");
  if (!document || !("text" in document.content))
    throw invalid("The skill cannot be saved: it has no SKILL.md with text.");
  const parsed = parseSkill(document.content.text, "skill");
  if (parsed.kind === "bad") throw invalid(`The skill cannot be saved: ${parsed.why}`);
  return checkSkill(parsed.header.name, files);
}
