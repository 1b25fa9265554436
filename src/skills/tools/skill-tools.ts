import type { Tool } from "../../tools/tool.ts";
import { loadSkill } from "./load-skill.ts";
import type { SkillToolParts } from "./parts.ts";
import { proposeSkill } from "./propose-skill.ts";
import { skillManage } from "./skill-manage.ts";

/** What the model can do with skills: load them, and write drafts where it may. */
export const createSkillTools = (parts: SkillToolParts): readonly Tool[] => [
  loadSkill(parts),
  ...(parts.canAuthor ? [proposeSkill(parts), skillManage(parts)] : []),
];
