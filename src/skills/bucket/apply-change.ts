import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import type { DraftChange, DraftChanged, DraftSummary } from "../../shared/skill-drafts.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import type { Content } from "../../shared/workspace-files.ts";
import { patchText } from "../format/patch.ts";
import { skillPath, supportPath } from "../format/skill-path.ts";
import { documentOf } from "./draft.ts";

const DOCUMENT = "SKILL.md";

/** A change that leaves files. */
export type WrittenChange = Exclude<DraftChange, { readonly kind: "delete" }>;

/**
 * The files that a change makes of these. The agent's files lie in the four directories that it may write; a person's anywhere.
 * Throws `CarrelError`: `invalid`, `not_found` for a file that is not there. Whether they are a skill is not looked at.
 */
export function applyChange(
  files: readonly SkillFile[],
  change: WrittenChange,
  origin: DraftSummary["origin"],
): { readonly files: readonly SkillFile[] } & Pick<DraftChanged, "matched"> {
  const pathOf = origin === "agent" ? supportPath : skillPath;
  switch (change.kind) {
    case "create":
      return { files: sorted(change.files.map((file) => placed(file, pathOf))) };
    case "edit":
      return { files: withFile(files, textFile(files, DOCUMENT, change.text)) };
    case "patch": {
      const { path = DOCUMENT, ...patch } = change;
      const found = fileAt(files, isDocument(path) ? DOCUMENT : pathOf(path));
      if (!("text" in found.content))
        throw invalid(
          `"${found.path}" is not text, so nothing can be replaced in it. Write it whole.`,
        );
      const { text, matched } = patchText({ ...patch, text: found.content.text });
      return { files: withFile(files, textFile(files, found.path, text)), matched };
    }
    case "write":
      return { files: withFile(files, placed(change.file, pathOf)) };
    case "remove": {
      if (isDocument(change.path))
        throw invalid("A skill has to have a SKILL.md. To give the skill up, delete it.");
      const { path } = fileAt(files, pathOf(change.path));
      return { files: files.filter((file) => file.path !== path) };
    }
  }
}

/** The files of a skill as a draft begins with them: its SKILL.md is written in these letters. */
export const copyOf = (files: readonly SkillFile[]): readonly SkillFile[] => {
  const document = documentOf(files);
  return sorted(
    files.map((file) => {
      const { path, content, executable } = file;
      return { path: file === document ? DOCUMENT : path, content, executable };
    }),
  );
};

/** Whether both are the same file, byte for byte. */
export const isSameFile = (a: SkillFile, b: SkillFile): boolean =>
  a.executable === b.executable && isSameContent(a.content, b.content);

const isDocument = (path: string): boolean => path.toLowerCase() === "skill.md";

/** A file where it may lie. */
function placed(file: SkillFile, pathOf: (path: string) => string): SkillFile {
  const path = isDocument(file.path) ? DOCUMENT : pathOf(file.path);
  return { path, content: file.content, executable: file.executable };
}

function fileAt(files: readonly SkillFile[], path: string): SkillFile {
  const found = files.find((file) => file.path === path);
  if (found) return found;
  const there = files.slice(0, 20).map((file) => file.path);
  throw new CarrelError(
    "not_found",
    `${notFound(`"${path}" in this skill`).message} It has: ${there.join(", ")}.`,
  );
}

function textFile(files: readonly SkillFile[], path: string, text: string): SkillFile {
  const executable = files.find((file) => file.path === path)?.executable ?? false;
  return { path, content: { text }, executable };
}

const withFile = (files: readonly SkillFile[], file: SkillFile): readonly SkillFile[] =>
  sorted([...files.filter(({ path }) => path !== file.path), file]);

/** Throws `CarrelError('invalid')` for a name that is a log's among the drafts: what only grows cannot be moved. */
function sorted(files: readonly SkillFile[]): readonly SkillFile[] {
  const log = files.find(({ path }) => path.endsWith(".log.jsonl"));
  if (log) throw invalid(`"${log.path}" would be a log, which only grows. Give it another name.`);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function isSameContent(a: Content, b: Content): boolean {
  if ("text" in a) return "text" in b && a.text === b.text;
  if (!("bytes" in b) || a.bytes.length !== b.bytes.length) return false;
  return a.bytes.every((byte, at) => byte === b.bytes[at]);
}
