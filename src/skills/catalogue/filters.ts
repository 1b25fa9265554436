import { shortHash } from "../../shared/short-hash.ts";
import type { SkillFilter, SkillsConfig, SkillViewer } from "../config.ts";
import type { CatalogueSkill } from "./catalogue.ts";
import { nameKey } from "./name-key.ts";

export type FilterConfig = Pick<
  SkillsConfig,
  "filter" | "environment" | "canaryPercent" | "isVisible"
>;

/** Why a skill does not show to somebody, in words; `null`: it does. What fails hides it. */
export function createFilters(
  config: FilterConfig,
): (skill: CatalogueSkill, viewer: SkillViewer) => Promise<string | null> | string | null {
  const { environment, canaryPercent, isVisible } = config;
  const isChosen = chooser(config.filter);
  return (skill, viewer) => {
    const { provenance } = skill;
    if (!isChosen(skill)) return "This agent does not have it.";
    const { environments = [] } = provenance ?? {};
    if (environments.length > 0 && !environments.includes(environment))
      return `It was promoted for ${environments.join(", ")}, and this is ${environment}.`;
    if (provenance?.createdBy === "agent" && !isAmong(canaryPercent, skill, viewer))
      return `It shows to ${canaryPercent} of 100 users so far.`;
    return isVisible ? judged(isVisible, skill, viewer) : null;
  };
}

async function judged(
  isVisible: NonNullable<FilterConfig["isVisible"]>,
  skill: CatalogueSkill,
  viewer: SkillViewer,
): Promise<string | null> {
  try {
    return (await isVisible(skill, viewer)) === true ? null : "It is hidden from this user.";
  } catch {
    return "Whether it may show could not be found out.";
  }
}

function chooser(filter: SkillFilter): (skill: CatalogueSkill) => boolean {
  if (filter === "all" || filter === "none") return () => filter === "all";
  const isExcept = "except" in filter;
  const names = new Set((isExcept ? filter.except : filter.only).map(nameKey));
  return ({ name, id }) => isExcept !== (names.has(nameKey(name)) || names.has(nameKey(id)));
}

/** Whether a user is among the first: the same answer each time, another one for each skill. */
const isAmong = (percent: number, { name }: CatalogueSkill, { user }: SkillViewer): boolean =>
  Number.parseInt(shortHash(`${user}|${nameKey(name)}`), 36) % 100 < percent;
