import type { LiveSkill } from "../../shared/skill-drafts.ts";
import type { Catalogue } from "./catalogue.ts";

/** The skill that a name stands for, also where a filter hides it from the agent; `null`: there is none. */
export function liveSkill({ skills, leftOut }: Catalogue, name: string): LiveSkill | null {
  const found = skills.find((skill) => skill.name === name);
  if (found) return { directory: found.directory };
  const hidden = leftOut.find((one) => one.kind === "filtered" && one.name === name);
  return hidden ? { directory: hidden.what } : null;
}
