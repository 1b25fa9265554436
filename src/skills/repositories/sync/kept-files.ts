import { CarrelError } from "../../../shared/errors.ts";
import type { Listed } from "../../../shared/workspace-api.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { indexPath, indexText, parseRepositoryIndex, type RepositoryIndex } from "../index-file.ts";
import type { SkillRepository } from "../repository.ts";
import type { SyncParts } from "./parts.ts";

type Files = Pick<SyncParts, "workspace">;

export type KeptText = {
  readonly text: string;
  /** For `expect`; `absent` where nothing is. */
  readonly etag: string;
};

/** The texts at some paths, in their order; blank and `absent` where none is. */
export async function readTexts(
  { workspace }: Files,
  paths: readonly string[],
): Promise<readonly KeptText[]> {
  const texts: KeptText[] = [];
  while (texts.length < paths.length) {
    const rest = paths.slice(texts.length);
    const { files } = await workspace.readMany({ paths: rest, layer: "own" });
    if (files.length === 0) throw new Error("a read of many files gave none");
    for (const found of files) {
      const content = found?.content;
      const text = content && "text" in content ? content.text : "";
      texts.push({ text, etag: found?.file.etag ?? "absent" });
    }
  }
  return texts;
}

/** `index` `null`: there is none, or it cannot be read, which `isBroken` tells. */
export type KeptIndex = {
  readonly index: RepositoryIndex | null;
  readonly isBroken: boolean;
  readonly etag: string;
};

/** What is kept of each repository, in their order. */
export async function readIndexes(
  parts: Files,
  repositories: readonly SkillRepository[],
): Promise<readonly KeptIndex[]> {
  return (await readTexts(parts, repositories.map(indexPath))).map(indexIn);
}

/** The index in a text; one that cannot be read is broken. */
export function indexIn({ text, etag }: KeptText): KeptIndex {
  if (etag === "absent") return { index: null, isBroken: false, etag };
  try {
    return { index: parseRepositoryIndex(text), isBroken: false, etag };
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    return { index: null, isBroken: true, etag };
  }
}

/** Over the index that was read, and no other. */
export const indexChange = (
  repository: SkillRepository,
  index: RepositoryIndex,
  expect: string,
): Change => ({
  kind: "write",
  path: indexPath(repository),
  content: { text: indexText(index) },
  expect,
});

/** All files below a directory; none where it is not. */
export async function filesBelow({ workspace }: Files, directory: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let after: string | null = ""; after !== null;) {
    const from: { after?: string } = after === "" ? {} : { after };
    try {
      const page = await workspace.tree({ directory, recursive: true, limit: 2_000, ...from });
      listed.push(...page.entries);
      after = page.cut ? (page.entries.at(-1)?.path ?? null) : null;
    } catch (error) {
      if (error instanceof CarrelError && error.code === "not_found") return listed;
      throw error;
    }
  }
  return listed.filter(({ file }) => file !== null);
}

export const isConflict = (error: unknown): boolean =>
  error instanceof CarrelError && error.code === "conflict";
