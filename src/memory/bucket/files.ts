import { CarrelError } from "../../shared/errors.ts";
import type { ChangeRequest } from "../../shared/workspace-changes.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import type { WorkspaceBucket } from "../../workspace/bucket.ts";

/** What the memory asks of its bucket's files. */
export type BucketFiles = Pick<
  WorkspaceBucket,
  "tree" | "read" | "readMany" | "page" | "search" | "change"
>;

/** A file as it was read. `text` `null`: it is not text. */
export type TextFile = {
  readonly path: string;
  /** To be sent back as `expect`. */
  readonly etag: string;
  readonly text: string | null;
};

const PAGE = 2_000;
const TRIES = 3;

/** The bucket's own files below a directory, of all levels, sorted by path; none where there is no such directory. */
export async function filesBelow(files: BucketFiles, directory: string): Promise<FileInfo[]> {
  const found: FileInfo[] = [];
  for (let after: string | undefined; ;) {
    const page = await pageBelow(files, directory, after);
    found.push(...page.entries);
    if (!page.cut) return found;
    after = page.entries.at(-1)?.path;
  }
}

/** One page of them: at most 2,000, those after that path. */
export async function pageBelow(
  files: BucketFiles,
  directory: string,
  after: string | undefined,
): Promise<{ readonly entries: readonly FileInfo[]; readonly cut: boolean }> {
  try {
    const from = after === undefined ? {} : { after };
    const request = { directory, recursive: true, layer: "own", limit: PAGE, ...from } as const;
    const { entries, cut } = await files.tree(request);
    return { entries: entries.flatMap(({ file }) => file ?? []), cut };
  } catch (error) {
    const isNone = error instanceof CarrelError && ["not_found", "invalid"].includes(error.code);
    if (isNone) return { entries: [], cut: false };
    throw error;
  }
}

/** The bucket's own files at these paths, in that order; those that are not there are left out. */
export async function readTexts(
  files: BucketFiles,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TextFile>> {
  const found = new Map<string, TextFile>();
  for (let rest = paths; rest.length > 0;) {
    const answer = await files.readMany({ paths: rest.slice(0, PAGE), layer: "own" });
    for (const read of answer.files) {
      if (read === null) continue;
      const { path, etag } = read.file;
      const text = "text" in read.content ? read.content.text : null;
      found.set(path, { path, etag, text });
    }
    rest = rest.slice(answer.files.length);
  }
  return found;
}

/** A file's text, or `null` where none is there; `etag` to be sent back as `expect`. Throws `CarrelError('invalid')` for what is not text. */
export async function readTextOf(
  files: BucketFiles,
  path: string,
): Promise<{ readonly text: string | null; readonly etag: string }> {
  const file = (await readTexts(files, [path])).get(path);
  if (!file) return { text: null, etag: "absent" };
  if (file.text !== null) return { text: file.text, etag: file.etag };
  throw new CarrelError(
    "invalid",
    `"${path}" is not text: one of its bytes is not UTF-8. Mend it, or undo what was done to it.`,
  );
}

/**
 * Plans on what is there and changes it, under the condition that nothing has changed in between; if something has, it is
 * planned anew, three times at most. Throws what the last try threw.
 */
export async function replanned<Plan extends { readonly request: ChangeRequest | null }>(
  files: BucketFiles,
  plan: () => Promise<Plan>,
): Promise<Plan> {
  for (let tries = 1; ; tries++) {
    const planned = await plan();
    try {
      if (planned.request) await files.change(planned.request);
      return planned;
    } catch (error) {
      const isLate = error instanceof CarrelError && error.code === "conflict";
      if (!isLate || tries === TRIES) throw error;
    }
  }
}
