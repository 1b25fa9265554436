import { CarrelError } from "../../../shared/errors.ts";
import type { CuratorOptions } from "../../../shared/skill-upkeep.ts";
import { hashSkill } from "../../format/hash.ts";
import { readDirectory } from "../directory.ts";
import type { SkillParts } from "../skill-parts.ts";
import { activeAt, isCurated } from "./judge.ts";
import type { LiveStanding, Standing } from "./standing.ts";

/**
 * The same where what a person has changed since its promotion is that person's: it counts as nothing that the agent made.
 * Only those are looked into that are old enough to be judged. Throws what reading them throws.
 */
export async function withOwners(
  parts: Pick<SkillParts, "files">,
  standing: Standing,
  options: CuratorOptions,
  now: number,
): Promise<Standing> {
  const oldest = now - Math.min(options.staleAfterMs, options.archiveAfterMs);
  const skills: LiveStanding[] = [];
  for (const skill of standing.skills) {
    const isOld = isCurated(skill) && activeAt(skill) <= oldest;
    skills.push(
      isOld && !(await isAsPromoted(parts, skill)) ? { ...skill, provenance: null } : skill,
    );
  }
  return { ...standing, skills };
}

async function isAsPromoted(
  parts: Pick<SkillParts, "files">,
  { directory, provenance }: LiveStanding,
): Promise<boolean> {
  const found = await readAll(parts, directory);
  return found !== null && (await hashSkill(found.files)).hash === provenance?.hash;
}

/** `null`: it is larger than anything that is promoted. */
async function readAll(parts: Pick<SkillParts, "files">, directory: string) {
  try {
    return await readDirectory(parts, directory);
  } catch (error) {
    if (error instanceof CarrelError && error.code === "too_large") return null;
    throw error;
  }
}
