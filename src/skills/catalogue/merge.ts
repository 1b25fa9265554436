import type { Candidate } from "./candidate.ts";
import type { CatalogueSkill, LeftOut } from "./catalogue.ts";
import { nameKey } from "./name-key.ts";

/** The skill of each name that counts, sorted by name, and those that it hides: the winner's directory is used whole. */
export function merge(found: readonly Candidate[]): {
  readonly winners: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
} {
  const winners = new Map<string, Candidate>();
  const leftOut: LeftOut[] = [];
  for (const candidate of found.toSorted(byPrecedence)) {
    const { name, directory } = candidate.skill;
    const key = nameKey(name);
    const winner = winners.get(key);
    if (winner)
      leftOut.push({
        what: directory,
        name,
        kind: "hidden",
        why: `${winner.skill.directory} (${sourceName(winner.skill)}) has the same name, and counts more.`,
      });
    else winners.set(key, candidate);
  }
  const sorted = [...winners.values()].toSorted((a, b) => compare(a.skill.name, b.skill.name));
  return { winners: sorted, leftOut };
}

/** What a skill's source is called in ids: its layer, or the label of its repository. */
export const sourceName = ({ source }: CatalogueSkill): string =>
  source.kind === "layer" ? source.layer : source.label;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byPrecedence = (a: Candidate, b: Candidate): number =>
  a.rank - b.rank ||
  Number(a.isAside) - Number(b.isAside) ||
  Number(isOdd(a.skill)) - Number(isOdd(b.skill)) ||
  compare(a.skill.directory, b.skill.directory);

/** Whether the directory has another name than the skill. */
const isOdd = ({ directory, name }: CatalogueSkill): boolean => !directory.endsWith(`/${name}`);
