import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { DraftChange } from "../../shared/skill-drafts.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { findSkill } from "../catalogue/find.ts";
import { liveSkill } from "../catalogue/live-skill.ts";
import { assertName } from "../format/check-skill.ts";
import { DOCUMENT } from "./document.ts";
import { changeDraft } from "./draft.ts";
import { MAX_TEXT, skillFile, textFile } from "./draft-inputs.ts";
import { given } from "./listed.ts";
import type { SkillToolParts } from "./parts.ts";
import { draftPath } from "./propose-skill.ts";

const actions = ["create", "edit", "patch", "write_file", "remove_file", "delete"] as const;

const text = z.string().max(MAX_TEXT).optional();

const input = z.strictObject({
  action: z.enum(actions),
  name: z
    .string()
    .min(1)
    .describe("The skill's name. A new one: lower-case words with hyphens, such as pdf-forms."),
  content: text.describe("create, edit: the whole SKILL.md, with its front matter."),
  old_string: text.describe("patch: the text to replace, which must be there once."),
  new_string: text.describe("patch: what comes in its place."),
  replace_all: z.boolean().default(false).describe("patch: every place. Default: false."),
  file_path: skillFile
    .optional()
    .describe(
      "write_file, remove_file: a path below references/, templates/, scripts/ or assets/. patch: such a path, or SKILL.md, which is the default.",
    ),
  file_content: text.describe("write_file: the whole file."),
  absorbed_into: z
    .string()
    .optional()
    .describe("delete: the skill that has taken over what was in this one. Default: none."),
});

type Field = Exclude<keyof z.output<typeof input>, "action" | "name" | "replace_all">;

/** Which fields each action needs, and which it takes beside them. */
const fields: Readonly<
  Record<(typeof actions)[number], readonly [needs: readonly Field[], takes: readonly Field[]]>
> = {
  create: [["content"], []],
  edit: [["content"], []],
  patch: [["old_string", "new_string"], ["file_path"]],
  write_file: [["file_path", "file_content"], []],
  remove_file: [["file_path"], []],
  delete: [[], ["absorbed_into"]],
};

const optional: readonly Field[] = [...new Set(Object.values(fields).flat(2))];

type Wish = z.output<typeof input>;

/** Arguments of which an action has all that it needs, and none that it would not heed. */
const checked = input.superRefine((wish, context) => {
  const { action } = wish;
  const [needs, takes] = fields[action];
  for (const field of optional) {
    const isGiven = wish[field] !== undefined;
    const message =
      needs.includes(field) && !isGiven
        ? `it is missing, and ${action} needs it`
        : isGiven && wish[field] !== "" && !needs.includes(field) && !takes.includes(field)
          ? `${action} does not take it. Leave it out, or choose another action`
          : null;
    if (message !== null) context.addIssue({ code: "custom", path: [field], message });
  }
  if (wish.file_path === DOCUMENT && needs.includes("file_path")) {
    const message = `${DOCUMENT} is changed with edit or patch, and never removed`;
    context.addIssue({ code: "custom", path: ["file_path"], message });
  }
});

/** Changes skills in drafts: a skill in use stays as it is until a person has promoted the draft of its new version. */
export const skillManage = (parts: SkillToolParts) =>
  defineTool({
    name: "skill_manage",
    description:
      "Writes drafts of skills: create a new one, edit or patch one, write or remove a file of it, or delete it. A change of a skill in use begins a draft of its next version; nothing in use changes before a person has promoted it.",
    input: checked,
    effect: "write",
    replay: "idempotent",
    subjects: ({ name }) => ({ paths: [draftPath(name)] }),
    async run(wish, context) {
      const catalogue = await parts.catalogueOf(context);
      const name = nameOf(wish, catalogue);
      const change = changeOf(wish, name, catalogue);
      return changeDraft(parts, context, { name, change, live: liveSkill(catalogue, name) });
    },
  });

/** The canonical name that is meant: that of the skill with this name or id, or else a new one. Throws `invalid`. */
function nameOf({ name, action }: Wish, catalogue: Catalogue): string {
  const found = findSkill(catalogue, name);
  if (found && (action !== "create" || found.name === name)) return found.name;
  assertName(name);
  return name;
}

function changeOf(wish: Wish, name: string, catalogue: Catalogue): DraftChange {
  const { content = "", old_string = "", new_string = "", file_path = "" } = wish;
  switch (wish.action) {
    case "create":
      return { kind: "create", files: [textFile(DOCUMENT, content, false)] };
    case "edit":
      return { kind: "edit", text: content };
    case "patch":
      return {
        kind: "patch",
        ...(file_path === "" ? {} : { path: file_path }),
        oldText: old_string,
        newText: new_string,
        replaceAll: wish.replace_all,
      };
    case "write_file":
      return { kind: "write", file: textFile(file_path, wish.file_content ?? "") };
    case "remove_file":
      return { kind: "remove", path: file_path };
    case "delete":
      return { kind: "delete", absorbedInto: absorberOf(wish, name, catalogue) };
  }
}

/** The skill that has taken over what was in this one; `null`: none has. */
function absorberOf({ absorbed_into = "" }: Wish, name: string, catalogue: Catalogue) {
  if (absorbed_into.trim() === "") return null;
  const found = findSkill(catalogue, absorbed_into.trim());
  if (found && found.name !== name) return found.name;
  const why = found ? "is the skill itself" : "is no skill that you have";
  throw new CarrelError(
    "invalid",
    `absorbed_into: ${given(absorbed_into)} ${why}. Name another skill, or leave it out.`,
  );
}
