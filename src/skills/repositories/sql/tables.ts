import { invalid } from "../../../shared/errors.ts";

/** The tables of a database that skills are in. */
export type SkillTables = { readonly skills: string; readonly files: string };

export const skillTables: SkillTables = { skills: "carrel_skill", files: "carrel_skill_file" };

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const SCOPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names of tables are no values, so they cannot be bound. Throws `CarrelError('invalid')`. */
export function checkTables(tables: SkillTables): SkillTables {
  const { skills, files } = tables;
  if (!NAME.test(skills) || !NAME.test(files) || skills.toLowerCase() === files.toLowerCase())
    throw invalid(
      'The tables of skills must be two names of 1 to 64 letters, digits and "_", no digit first.',
    );
  return { skills, files };
}

/** Throws `CarrelError('invalid')`. */
export function checkScope(scope: string): string {
  if (!SCOPE.test(scope))
    throw invalid(
      'The scope of skills must be 1 to 64 letters, digits, ".", "_" or "-", a letter or digit first.',
    );
  return scope;
}

/**
 * Statements that make the tables where they are not there yet, for a migration. `updated_at` is in milliseconds; whoever
 * changes a file by other hands changes it, too. Throws `CarrelError('invalid')` for names that cannot be used.
 */
export function skillTablesSql(tables: SkillTables = skillTables): readonly string[] {
  const { skills, files } = checkTables(tables);
  return [
    `CREATE TABLE IF NOT EXISTS ${skills} (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  hash TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
)`,
    `CREATE TABLE IF NOT EXISTS ${files} (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  content BLOB NOT NULL,
  executable INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, name, path)
)`,
  ];
}
