import type { SkillCluster } from "../../../shared/skill-upkeep.ts";
import { cutAt } from "../../../shared/text.ts";
import type { LiveStanding } from "./standing.ts";

const MOST_CLUSTERS = 20;
const MOST_NAMES = 20;
const MOST_DESCRIPTION = 200;

/**
 * Skills whose names have the same first segment, before a `-`: two at least, whoever made them. The largest first, then by
 * prefix; at most 20 of 20.
 */
export function clustersOf(
  skills: readonly Pick<LiveStanding, "name" | "description">[],
): readonly SkillCluster[] {
  const groups = Map.groupBy(skills, ({ name }) => name.split("-", 1)[0] ?? "");
  return [...groups]
    .filter(([prefix, { length }]) => prefix !== "" && length > 1)
    .toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .slice(0, MOST_CLUSTERS)
    .map(([prefix, group]) => {
      const shown = group.slice(0, MOST_NAMES);
      return {
        prefix,
        names: shown.map(({ name }) => name),
        descriptions: shown.map(({ description }) => oneLine(description)),
      };
    });
}

const oneLine = (text: string): string =>
  cutAt(
    cutAt(text, 4 * MOST_DESCRIPTION)
      .replace(/[\s\u0085]+/g, " ")
      .trim(),
    MOST_DESCRIPTION,
  );
