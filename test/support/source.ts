import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ESTree, type ParseResult, parseSync } from "vite";

/** The project's directory, with a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

export type Node = ESTree.Node;

/** A source file as the structural tests see it: its text, and its syntax tree from the parser that Vite uses. */
export type Source = {
  /** From the project's directory, with `/` on every system. */
  readonly path: string;
  readonly text: string;
  readonly program: ESTree.Program;
  readonly comments: ParseResult["comments"];
};

/** Throws when the text is not TypeScript (or JavaScript, by the ending of `path`). */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, program, comments };
}

/** The paths of all files in these folders whose names end in one of `endings`, sorted. A folder may be absent. */
export function filesIn(folders: readonly string[], endings: readonly string[]): string[] {
  return folders.flatMap((folder) => walkFolder(folder, endings)).sort();
}

function walkFolder(folder: string, endings: readonly string[]): string[] {
  return readFolder(folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "results" ? [] : walkFolder(path, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
  });
}

function readFolder(folder: string) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
}

export const readText = (path: string): string => readFileSync(join(root, path), "utf8");

/** Every TypeScript file in these folders. */
export function readSources(...folders: string[]): Source[] {
  return filesIn(folders, [".ts"]).map((path) => parseSource(path, readText(path)));
}

/** Calls `visit` for a node and everything below it, outside in; `ancestors` is nearest last and only valid during the call. */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: Node[] = [],
): void {
  visit(node, ancestors);
  ancestors.push(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) walk(child, visit, ancestors);
  }
  ancestors.pop();
}

/** Whether a value found inside a syntax tree is a node of it. */
export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** Counted from 1. */
export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length;

/** `path:line`, the way editors and terminals link it. */
export const place = (source: Source, at: { readonly start: number }): string =>
  `${source.path}:${lineAt(source.text, at.start)}`;

/** What `match` has to say about the nodes of a source, as `path:line what`, each sentence once. */
export function findNodes(
  source: Source,
  match: (node: Node, ancestors: readonly Node[]) => string | null | undefined | false,
): string[] {
  const found = new Set<string>();
  walk(source.program, (node, ancestors) => {
    const what = match(node, ancestors);
    if (what) found.add(`${place(source, node)} ${what}`);
  });
  return [...found];
}
