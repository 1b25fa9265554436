import { utf8Length } from "../../shared/text.ts";
import { nameOf, parentOf, workspacePath } from "./path.ts";
import type { WorkspacePath } from "./path.ts";

/** A file as the generated module `.template/template.ts` holds it, text if its bytes are UTF-8, or as code gives it. */
export type TemplateFile = { readonly base64: string } | TemplateContent;

export type TemplateContent = { readonly text: string } | { readonly bytes: Uint8Array };

/** One line of a listing. `size` is in bytes; 0 for a directory. */
export type TemplateEntry = {
  readonly path: WorkspacePath;
  readonly isDirectory: boolean;
  readonly size: number;
};

/** The read-only files that every user of this deployment starts from. */
export type Template = {
  /** Changes exactly when a path or a byte of any file changes. */
  readonly version: string;
  /** Every file, sorted by UTF-16 units. */
  readonly paths: readonly WorkspacePath[];
  /** `null` when there is no such file; a directory is not a file. */
  read(path: WorkspacePath): TemplateContent | null;
  /** One level, sorted by path; `null` when there is no such directory. The root always exists. */
  list(directory: WorkspacePath): readonly TemplateEntry[] | null;
};

/**
 * The template over the generated files. Throws when a key is not a canonical path, or is both a file and a
 * directory: the module was not written by `scripts/build-template.mjs`.
 */
export function createTemplate(
  files: Readonly<Record<string, TemplateFile>>,
  version: string,
): Template {
  const byPath = new Map<WorkspacePath, TemplateFile>();
  for (const [key, file] of Object.entries(files).toSorted(byKey)) {
    const path = workspacePath(key);
    if (path === "" || path !== key) throw new Error(`not a template path: ${JSON.stringify(key)}`);
    byPath.set(path, file);
  }
  const directories = childrenOf(byPath.keys());
  for (const path of byPath.keys()) {
    if (directories.has(path))
      throw new Error(`both a file and a directory: ${JSON.stringify(path)}`);
  }

  return {
    version,
    paths: [...byPath.keys()],
    read(path) {
      const file = byPath.get(path);
      if (!file) return null;
      return "base64" in file ? { bytes: decode(file.base64) } : file;
    },
    list(directory) {
      const children = directories.get(directory);
      if (!children) return null;
      return [...children].toSorted().map((path) => {
        const file = byPath.get(path);
        return { path, isDirectory: !file, size: file ? sizeOf(file) : 0 };
      });
    },
  };
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0);

function childrenOf(paths: Iterable<WorkspacePath>): Map<WorkspacePath, Set<WorkspacePath>> {
  const directories = new Map([[workspacePath(""), new Set<WorkspacePath>()]]);
  for (const path of paths) {
    for (let child = path; nameOf(child) !== ""; child = parentOf(child)) {
      const parent = parentOf(child);
      const siblings = directories.get(parent) ?? new Set();
      directories.set(parent, siblings.add(child));
    }
  }
  return directories;
}

function decode(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function sizeOf(file: TemplateFile): number {
  if ("text" in file) return utf8Length(file.text);
  if ("bytes" in file) return file.bytes.length;
  const padding = file.base64.endsWith("==") ? 2 : file.base64.endsWith("=") ? 1 : 0;
  return (file.base64.length / 4) * 3 - padding;
}
