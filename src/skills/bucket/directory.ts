import { CarrelError, notFound, tooLargeToRead } from "../../shared/errors.ts";
import type { LiveSkill } from "../../shared/skill-drafts.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import { spellSize, utf8Length } from "../../shared/text.ts";
import type { Change, Holding } from "../../shared/workspace-changes.ts";
import type { Content, FileInfo, LayerName } from "../../shared/workspace-files.ts";
import { workspacePath } from "../../workspace/layers/path.ts";
import { hashSkill } from "../format/hash.ts";
import type { SkillParts } from "./skill-parts.ts";

/** A file as it was read. `etag` binds a change to it. */
export type StoredFile = SkillFile & Pick<FileInfo, "etag" | "size" | "at" | "by">;

/** A directory of the workspace with all its files, sorted by path. */
export type SkillDirectory = {
  readonly directory: string;
  readonly layer: LayerName;
  readonly files: readonly StoredFile[];
};

/** A skill that shows. `isOwn`: it is the bucket's, and not a copy of what a repository has. */
export type LiveNow = SkillDirectory & { readonly hash: string; readonly isOwn: boolean };

/** What is read of one skill at most: whatever is made or fetched here is far smaller. */
const MOST_FILES = 400;
const MOST_BYTES = 48 * 1024 * 1024;
const PAGE = 2_000;

/** Where copies of what repositories have are. */
export const COPIES = ".skills-cache/";

const SKILL_DIRECTORY =
  /^(?:skills\/[^/._][^/]*|\.agents\/skills\/[^/._][^/]*|\.skills-cache(?:\/[^/]+)+)$/;

/** The path of a directory that can be a skill's. Throws `CarrelError('not_found')` for any other. */
export function skillDirectory(raw: string): string {
  const path = workspacePath(raw);
  if (SKILL_DIRECTORY.test(path)) return path;
  throw notFound(`A skill in ${JSON.stringify(path)}`);
}

/** What shows below a directory, of all levels, sorted by path; none where there is no such directory. */
export async function filesIn(
  { files }: Pick<SkillParts, "files">,
  directory: string,
): Promise<readonly FileInfo[]> {
  const found: FileInfo[] = [];
  const request = { directory, recursive: true, limit: PAGE } as const;
  try {
    for (let after: string | undefined; ;) {
      const page = await files.tree(after === undefined ? request : { ...request, after });
      found.push(...page.entries.flatMap(({ file }) => file ?? []));
      after = page.entries.at(-1)?.path;
      if (!page.cut) return found;
    }
  } catch (error) {
    // It is a file, which is no skill, or all of it went meanwhile.
    const isNone = error instanceof CarrelError && ["not_found", "invalid"].includes(error.code);
    if (isNone) return [];
    throw error;
  }
}

/**
 * All files of a directory; `null` where nothing is. Throws `CarrelError`: `too_large` for more than 400 files or 48 MiB,
 * `conflict` when files went while they were read.
 */
export async function readDirectory(
  parts: Pick<SkillParts, "files">,
  directory: string,
): Promise<SkillDirectory | null> {
  const found = await filesIn(parts, directory);
  const [first] = found;
  if (!first) return null;
  const bytes = found.reduce((sum, { size }) => sum + size, 0);
  if (found.length > MOST_FILES || bytes > MOST_BYTES)
    throw tooLargeToRead(
      `The skill in "${directory}"`,
      `${MOST_FILES} files or ${spellSize(MOST_BYTES)}`,
      "Make it smaller, or move it as files.",
    );
  const files: StoredFile[] = [];
  for (let rest = found.map(({ path }) => path); rest.length > 0;) {
    const answer = await parts.files.readMany({ paths: rest });
    for (const read of answer.files) {
      if (!read || read.next !== null) throw changedMeanwhile(directory);
      const { path, executable, etag, size, at, by } = read.file;
      const relative = path.slice(directory.length + 1);
      files.push({ path: relative, content: read.content, executable, etag, size, at, by });
    }
    rest = rest.slice(answer.files.length);
  }
  return { directory, layer: first.layer, files };
}

/** The files of a directory; none where nothing is. Throws as `readDirectory` does. */
export async function readSkillFiles(
  parts: Pick<SkillParts, "files">,
  directory: string,
): Promise<readonly StoredFile[]> {
  return (await readDirectory(parts, directory))?.files ?? [];
}

/** The skill that shows there, with the hash of its files; `null` where none does. Throws as `readDirectory` does. */
export async function readLive(
  parts: Pick<SkillParts, "files">,
  live: LiveSkill | null,
): Promise<LiveNow | null> {
  const directory = live && skillDirectory(live.directory);
  const found = directory === null ? null : await readDirectory(parts, directory);
  if (!found) return null;
  const isOwn = found.layer === "own" && !found.directory.startsWith(COPIES);
  return { ...found, isOwn, hash: (await hashSkill(found.files)).hash };
}

/** Why a skill that is not the bucket's own cannot be archived there, and how to be rid of it. */
export const notOwn = (name: string, { directory }: LiveNow): string =>
  directory.startsWith(COPIES)
    ? `The skill "${name}" comes from a repository, so it cannot be archived here. To hide it, leave it out by the option "filter" of the agent's skills, or make one of your own by that name.`
    : `The skill "${name}" is not this bucket's own, so it cannot be archived. To hide it, delete "${directory}" in the files.`;

/** Changes that change nothing, and bind the request to these files as they were read. */
export const asRead = ({ directory, files }: SkillDirectory): Change[] =>
  files.map(({ path, etag }) => ({
    kind: "append",
    path: `${directory}/${path}`,
    text: "",
    expect: etag,
  }));

/** For a move or a deletion of that directory: only while it holds what was read. */
export const asHeld = ({ files }: SkillDirectory): Holding =>
  Object.fromEntries(files.map(({ path, etag }) => [path, etag]));

/** In bytes. */
export const sizeOf = (content: Content): number =>
  "text" in content ? utf8Length(content.text) : content.bytes.length;

const changedMeanwhile = (directory: string): CarrelError =>
  new CarrelError("conflict", `"${directory}" was changed while it was read. Try again.`);
