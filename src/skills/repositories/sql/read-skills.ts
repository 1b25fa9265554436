import * as z from "zod";
import { CarrelError } from "../../../shared/errors.ts";
import { sha256Hex } from "../../../shared/sha256.ts";
import type { SkillFile } from "../../../shared/skill-facts.ts";
import { spellSize } from "../../../shared/text.ts";
import type { FetchedSkill, RepositoryLimits } from "../repository.ts";
import { leftOut, shownName, tooMany } from "../take-skills.ts";
import { ContentColumn, type SkillDatabase } from "./database.ts";
import type { SkillTables } from "./tables.ts";

/** Where the skills of a scope are. */
export type SkillPlace = {
  readonly db: SkillDatabase;
  readonly scope: string;
  readonly tables: SkillTables;
};

const SkillRow = z.object({ name: z.string(), hash: z.string(), updated_at: z.number() });
const FileRow = z.object({ path: z.string(), size: z.number(), executable: z.number() });
const BodyRow = z.object({ path: z.string(), executable: z.number(), content: ContentColumn });

export type ListedSkill = {
  readonly name: string;
  readonly hash: string;
  readonly updatedAt: number;
  readonly files: readonly z.output<typeof FileRow>[];
};

export type Listing = { readonly skills: readonly ListedSkill[]; readonly revision: string };

/** Files of all skills that are listed at most. */
const MAX_FILES = 20_000;

/** All skills of a scope with their files, without what is in them, as of one moment. */
export async function listSkills({ db, scope, tables }: SkillPlace): Promise<Listing> {
  const [skills, files] = await db.batch([
    db
      .prepare(`SELECT name, hash, updated_at FROM ${tables.skills} WHERE scope = ? ORDER BY name`)
      .bind(scope),
    db
      .prepare(
        `SELECT name, path, length(CAST(content AS BLOB)) AS size, executable FROM ${tables.files}
         WHERE scope = ? ORDER BY name, path LIMIT ?`,
      )
      .bind(scope, MAX_FILES + 1),
  ]);
  const fileRows = z.array(FileRow.extend({ name: z.string() })).parse(files?.results ?? []);
  if (fileRows.length > MAX_FILES)
    throw new CarrelError(
      "too_large",
      `The skills of this scope have more than ${MAX_FILES} files. Put some into another scope.`,
    );
  const byName = new Map<string, z.output<typeof FileRow>[]>();
  for (const { name, ...file } of fileRows) {
    const its = byName.get(name) ?? [];
    its.push(file);
    byName.set(name, its);
  }
  const listed = z.array(SkillRow).parse(skills?.results ?? []);
  const all = listed.map(({ name, hash, updated_at: updatedAt }) => {
    return { name, hash, updatedAt, files: byName.get(name) ?? [] };
  });
  const revision = await sha256Hex(new TextEncoder().encode(JSON.stringify(all)));
  return { skills: all, revision };
}

/** The files of skills that are small enough, one skill after the other; the others are problems, and are not read. */
export async function readSkills(
  place: SkillPlace,
  { skills }: Listing,
  limits: RepositoryLimits,
  signal: AbortSignal,
): Promise<{ readonly skills: readonly FetchedSkill[]; readonly problems: readonly string[] }> {
  const read: FetchedSkill[] = [];
  const problems: string[] = [];
  let total = 0;
  for (const skill of skills) {
    signal.throwIfAborted();
    const size = skill.files.reduce((sum, file) => sum + file.size, 0);
    const why = refusal(skill, size, total, limits);
    if (why !== null) problems.push(leftOut(skill.name, why));
    else if (read.length === limits.skills) {
      problems.push(tooMany(skills.length - skills.indexOf(skill), limits));
      break;
    } else {
      total += size;
      read.push({ directory: skill.name, files: await filesOf(place, skill.name) });
    }
  }
  return { skills: read, problems };
}

function refusal(
  { files }: ListedSkill,
  size: number,
  total: number,
  { filesPerSkill, fileBytes, skillBytes, totalBytes }: RepositoryLimits,
): string | null {
  if (files.length > filesPerSkill) return `it has more than ${filesPerSkill} files.`;
  const large = files.find((file) => file.size > fileBytes);
  if (large) return `its file ${shownName(large.path)} is larger than ${spellSize(fileBytes)}.`;
  if (size > skillBytes) return `it is larger than ${spellSize(skillBytes)}.`;
  if (total + size > totalBytes)
    return `with it, the repository would be larger than ${spellSize(totalBytes)}.`;
  return null;
}

async function filesOf(
  { db, scope, tables }: SkillPlace,
  name: string,
): Promise<readonly SkillFile[]> {
  const { results } = await db
    .prepare(
      `SELECT path, executable, content FROM ${tables.files}
       WHERE scope = ? AND name = ? ORDER BY path`,
    )
    .bind(scope, name)
    .all();
  return z
    .array(BodyRow)
    .parse(results)
    .map(({ path, executable, content }) => ({ path, content, executable: executable !== 0 }));
}
