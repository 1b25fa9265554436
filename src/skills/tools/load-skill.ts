import * as z from "zod";
import { oneLine } from "../../context/entries.ts";
import { CarrelError } from "../../shared/errors.ts";
import { cutAt } from "../../shared/text.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Catalogue, CatalogueSkill } from "../catalogue/catalogue.ts";
import { findSkill, suggestSkills } from "../catalogue/find.ts";
import { DOCUMENT, isDocument } from "./document.ts";
import { given, listed } from "./listed.ts";
import { loadedOutput } from "./loaded-text.ts";
import type { SkillToolParts } from "./parts.ts";

/** All ids of a catalogue are named where it has no more. */
const FEW = 30;
const MAX_SUGGESTED = 5;
/** Of a description, with a suggestion. */
const MAX_DESCRIPTION = 300;

/** Shows a file of a skill that the caller's catalogue has, and counts that it was loaded. */
export const loadSkill = ({
  catalogueOf,
  skillsOf,
  groups,
}: Pick<SkillToolParts, "catalogueOf" | "skillsOf" | "groups">) =>
  defineTool({
    name: "load_skill_through_path",
    description:
      "Loads a skill: its instructions (SKILL.md), or another file of it that they name. When a skill fits the task, load it before you act, and follow it.",
    input: z.strictObject({
      skillId: z
        .string()
        .min(1)
        .describe("The skill's id or name, as the list of available skills shows it."),
      path: z
        .string()
        .default(DOCUMENT)
        .describe(
          `A file of the skill, by its path in the skill's directory, such as references/api.md. Default: ${DOCUMENT}.`,
        ),
    }),
    effect: "read",
    replay: "idempotent",
    async run({ skillId, path }, context) {
      const catalogue = await catalogueOf(context);
      const skill = findSkill(catalogue, skillId.trim());
      if (!skill) throw unknownSkill(catalogue, skillId);
      const { name, directory } = skill;
      const skills = skillsOf(context.address);
      const { file, paths } = await skills.load({ name, directory, path, op: context.op });
      if (!file) throw unknownPath(skill, path, paths);
      const activated = isDocument(file.path)
        ? groups.filter((group) => group.skills.includes(skill.name))
        : [];
      return loadedOutput({ skill, file, paths, groups: activated });
    },
  });

function unknownSkill(catalogue: Catalogue, skillId: string): CarrelError {
  const { skills } = catalogue;
  const there = `There is no skill ${given(skillId)}`;
  if (skills.length === 0)
    return new CarrelError("not_found", `${there}: you have none. Go on without.`);
  const close = suggestSkills(catalogue, skillId, MAX_SUGGESTED);
  const again = "Call it again with one of these.";
  if (skills.length > FEW && close.length > 0)
    return new CarrelError(
      "not_found",
      `${there}. The closest:\n${listed(close.map(suggestion), { join: "\n" })}\n${again}`,
    );
  const ids = listed(skills.map(({ id }) => id));
  return new CarrelError("not_found", `${there}. Your skills: ${ids}. ${again}`);
}

const suggestion = ({ id, description }: CatalogueSkill): string =>
  `- ${id}: ${cutAt(oneLine(description), MAX_DESCRIPTION)}`;

function unknownPath(skill: CatalogueSkill, path: string, paths: readonly string[]): CarrelError {
  return new CarrelError(
    "not_found",
    `The skill ${skill.name} has no file ${given(path)}. Its files: ${listed(paths)}. Call it again with one of these as path.`,
  );
}
