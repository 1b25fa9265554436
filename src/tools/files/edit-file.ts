import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { cutAt, splitLines } from "../../shared/text.ts";
import type { Changed, TextEdit } from "../../shared/workspace-changes.ts";
import type { WorkspacePath } from "../../workspace/layers/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { numbered } from "./bounded.ts";
import { filePath } from "./path-input.ts";
import { refuseProtectedFile } from "./protection.ts";

/** Lines shown before and after a change, and of the changed ones. */
const AROUND = 3;
const MAX_CHANGED = 10;
const MAX_LINE = 300;

const fields = {
  old_string: z.string().min(1).describe("The text to replace, exactly as it is in the file."),
  new_string: z.string().describe("The text to put there."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every match. Default: false, and the text must be there exactly once."),
} as const;

type Edit = z.output<z.ZodObject<typeof fields>>;

const differs = (given: Pick<Edit, "old_string" | "new_string">): boolean =>
  given.old_string !== given.new_string;

const sameText = () => ({
  path: ["new_string"],
  message: "it is the same as old_string, so nothing would change",
});

/** Replaces text in a file. `protect`: see `createFileTools`. */
export const editFile = (protect: readonly WorkspacePath[]) =>
  defineTool({
    name: "edit_file",
    description:
      "Replaces text in a file of the workspace. The text must match exactly and be there only once, unless replace_all is true. Leave out the line numbers that read_file shows.",
    input: z.strictObject({ path: filePath, ...fields }).refine(differs, sameText()),
    effect: "write",
    replay: "idempotent",
    subjects: ({ path }) => ({ paths: [path] }),
    run({ path, ...edit }, context) {
      refuseProtectedFile(path, protect);
      return applyEdits(path, [edit], context);
    },
  });

/** Replaces several texts in a file, or none. `protect`: see `createFileTools`. */
export const multiEdit = (protect: readonly WorkspacePath[]) =>
  defineTool({
    name: "multi_edit",
    description:
      "Makes several replacements in one file of the workspace, in order, each as edit_file would: all of them, or none when one does not match.",
    input: z.strictObject({
      path: filePath,
      edits: z.array(z.strictObject(fields).refine(differs, sameText())).min(1).max(100),
    }),
    effect: "write",
    replay: "idempotent",
    subjects: ({ path }) => ({ paths: [path] }),
    run({ path, edits }, context) {
      refuseProtectedFile(path, protect);
      return applyEdits(path, edits, context);
    },
  });

async function applyEdits(
  path: WorkspacePath,
  given: readonly Edit[],
  context: ToolContext,
): Promise<ToolOutput> {
  const edits = given.map(({ old_string, new_string, replace_all }): TextEdit => ({
    oldText: old_string,
    newText: new_string,
    replaceAll: replace_all,
  }));
  const { changed, isKnown } = await change(path, edits, context);
  const replaced = (changed?.replaced ?? []).reduce((sum, times) => sum + times, 0);
  const heading = `Edited ${path} (${replaced} replacement(s))`;
  const lines = splitLines(edits[0]?.newText ?? "").length;
  const excerpt = await excerptOf(context.workspace, path, changed?.line ?? 1, lines);
  return {
    content: [{ type: "text", text: [heading, ...excerpt].join("\n") }],
    ...(isKnown && changed?.file ? { seen: { [path]: changed.file.etag } } : {}),
  };
}

/** `isKnown`: the model knew the whole file before, so that it knows what it holds now. */
async function change(
  path: WorkspacePath,
  edits: readonly TextEdit[],
  { workspace, op, author, seen }: ToolContext,
): Promise<{ readonly changed: Changed | undefined; readonly isKnown: boolean }> {
  const known = seen(path);
  if (known !== null) {
    try {
      const changes = [{ kind: "edit", path, edits, expect: known } as const];
      const [changed] = await workspace.change({ by: author, op, changes });
      return { changed, isKnown: true };
    } catch (error) {
      if (!(error instanceof CarrelError) || error.code !== "conflict") throw error;
    }
  }
  // Under an id of its own: asked again, the request above must not answer for this one.
  const changes = [{ kind: "edit", path, edits } as const];
  const [changed] = await workspace.change({ by: author, op: `${op}/unseen`, changes });
  return { changed, isKnown: false };
}

/** The lines around a change as they are now. The change is done, so it is none the worse if they cannot be shown. */
async function excerptOf(
  workspace: Workspace,
  path: WorkspacePath,
  line: number,
  changed: number,
): Promise<string[]> {
  const offset = Math.max(0, line - 1 - AROUND);
  const limit = line - 1 - offset + Math.min(Math.max(changed, 1), MAX_CHANGED) + AROUND;
  const page = await workspace.page({ path, offset, limit }).catch(() => null);
  return (page?.lines ?? []).map((text, index) => {
    const shown = cutAt(text, MAX_LINE);
    return numbered(offset + index + 1, shown === text ? text : `${shown}…`);
  });
}
