import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import { liveSkill } from "../catalogue/live-skill.ts";
import { writeSkill } from "../format/write-skill.ts";
import { DOCUMENT } from "./document.ts";
import { changeDraft } from "./draft.ts";
import { MAX_TEXT, newName, scriptFile, textFile } from "./draft-inputs.ts";
import type { SkillToolParts } from "./parts.ts";

const MAX_SCRIPTS = 100;

const script = z.strictObject({
  path: scriptFile.describe(
    "Such as scripts/run.py; a name without a folder gets scripts/ before it.",
  ),
  content: z.string().max(MAX_TEXT),
  executable: z
    .boolean()
    .optional()
    .describe("Whether it can be run by its path. Default: when it begins with #!."),
});

const scripts = z
  .array(script)
  .max(MAX_SCRIPTS)
  .refine((list) => new Set(list.map(({ path }) => path)).size === list.length, {
    message: "two of them have the same path. Give each its own",
  });

/** Proposes a new skill: always a draft. */
export const proposeSkill = (parts: SkillToolParts) =>
  defineTool({
    name: "propose_skill",
    description:
      "Proposes a new skill from what was learnt here: instructions that will help in later conversations of the same kind. It becomes a draft, which a person has to promote before it can be loaded. To change a skill use skill_manage.",
    input: z.strictObject({
      name: newName.describe("Lower-case words with hyphens, such as pdf-forms."),
      description: z
        .string()
        .max(MAX_TEXT)
        .describe("What the skill does and when to use it, in at most 1,024 characters."),
      body: z.string().max(MAX_TEXT).describe("The instructions, in Markdown."),
      scripts: scripts.default([]).describe("Files that the instructions name. Default: none."),
    }),
    effect: "write",
    replay: "idempotent",
    subjects: ({ name }) => ({ paths: [draftPath(name)] }),
    async run({ name, description, body, scripts: files }, context) {
      const document = writeSkill({ name, description, body });
      const live = liveSkill(await parts.catalogueOf(context), name);
      return changeDraft(parts, context, {
        name,
        change: {
          kind: "create",
          files: [
            textFile(DOCUMENT, document, false),
            ...files.map(({ path, content, executable }) => textFile(path, content, executable)),
          ],
        },
        live,
      });
    },
  });

/** Where a draft lies, as permission rules see it. */
export const draftPath = (name: string): string => `skills/_drafts/${name}/`;
