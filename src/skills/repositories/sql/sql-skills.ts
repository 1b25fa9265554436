import { CarrelError } from "../../../shared/errors.ts";
import type { Trust } from "../../../shared/skill-facts.ts";
import { labelFrom, repositoryLabel } from "../label.ts";
import type { Fetched, FetchParts, SkillRepository } from "../repository.ts";
import { takeSkills } from "../take-skills.ts";
import { databaseOf } from "./database.ts";
import { listSkills, readSkills, type SkillPlace } from "./read-skills.ts";
import { checkScope, checkTables, skillTables, type SkillTables } from "./tables.ts";

export type SqlSkillsOptions = {
  /** Of a D1 database, by its name in wrangler.toml. */
  readonly binding: string;
  /** Of all skills in the tables, those of this scope: of a tenant, or a team. */
  readonly scope: string;
  /** Default: made of the scope. */
  readonly label?: string;
  /** Default `community`. */
  readonly trust?: Trust;
  readonly tables?: SkillTables;
};

/**
 * The skills of one scope of a D1 database, which `createSqlSkills` writes and `skillTablesSql` makes tables for. Throws
 * `CarrelError('invalid')` for options that cannot be used.
 */
export function sqlSkills(options: SqlSkillsOptions): SkillRepository {
  const { binding: name, trust = "community" } = options;
  const scope = checkScope(options.scope);
  const tables = checkTables(options.tables ?? skillTables);
  return {
    label: options.label === undefined ? labelFrom(scope) : repositoryLabel(options.label),
    trust,
    key: JSON.stringify(["sql", name, tables.skills, tables.files, scope]),
    origins: [],
    async take(known, parts) {
      parts.signal.throwIfAborted();
      const place = { db: databaseOf(parts.binding, name), scope, tables };
      return Promise.race([fetchFrom(place, known, parts), aborted(parts.signal)]);
    },
  };
}

/** What is written while this reads is seen whole the next time: what was listed has to be there still at the end. */
async function fetchFrom(
  place: SkillPlace,
  known: string | null,
  { limits, signal }: FetchParts,
): Promise<Fetched | "unchanged"> {
  const listing = await listSkills(place);
  if (listing.revision === known) return "unchanged";
  const read = await readSkills(place, listing, limits, signal);
  const after = await listSkills(place);
  if (after.revision !== listing.revision)
    throw new CarrelError("unavailable", "The skills were changed while they were read.");
  const taken = takeSkills(read.skills, limits);
  const problems = [...read.problems, ...taken.problems];
  return { skills: taken.skills, problems, revision: listing.revision };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
