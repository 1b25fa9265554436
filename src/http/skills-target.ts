import type { Context } from "hono";
import type { AgentSkills } from "../compose-skills.ts";
import { invalid } from "../shared/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { layerOf, type FileQuery } from "./files-query.ts";
import { audit, forbidden, ownerOf } from "./files-target.ts";

/** The skills that a request is about, and who asks. */
export type SkillsTarget = {
  readonly skills: AgentSkills;
  /** As `FileInfo.by` shows it. */
  readonly by: string;
};

/** `read`: what there is. `review`: drafts, and what was done. `write`: decisions. `sync`: asking repositories now. */
export type SkillsUse = "read" | "review" | "write" | "sync";

/**
 * Whose skills a request means: the caller's own; for an admin also those that `?user=` names, or with `?layer=shared` the
 * agent's shared ones. Throws `CarrelError`: `forbidden` for anybody else, for drafts and decisions where all users share
 * the files, and for repositories, which all users share; `not_found` for an agent without skills.
 */
export function skillsTarget(c: Context<AppEnv>, query: FileQuery, use: SkillsUse): SkillsTarget {
  const { user, role } = c.get("principal");
  const deployment = c.get("deployment");
  const agent = c.req.param("agent") ?? "";
  const scope = deployment.isolationScope(agent);
  const isAdmin = role === "admin";
  const layer = layerOf(query);
  if (layer === "template")
    throw invalid(
      "The template is part of the deployment. Leave out the layer for your own skills.",
    );
  if (layer === "shared" && !isAdmin)
    throw forbidden("Only an admin may open the skills of the shared layer.");
  const isCommon = scope === "AGENT" || scope === "GLOBAL";
  if (use !== "read" && isCommon && !isAdmin)
    throw forbidden(
      "All users of this agent share these skills, so only an admin may review them.",
    );
  if (use === "sync" && !isAdmin)
    throw forbidden("All users share what repositories bring, so only an admin may ask them now.");
  const owner = ownerOf(c, query);
  if (layer === "shared") audit(c, "shared");
  const skills = deployment.skills(agent, c.env, layer === "shared" ? "shared" : owner);
  return { skills, by: `user:${user}` };
}
