import type { WorkspacePath } from "./path.ts";

/**
 * What a path is for. `definition`: what the agent is; `memory`: what it learnt; `runtime`: what the harness keeps
 * for itself; `working`: everything else.
 */
export type PathKind = "definition" | "memory" | "runtime" | "working";

export type PathRule = {
  readonly kind: PathKind;
  /** `all`: lower layers show through. `own`: only the bucket's own file counts. */
  readonly layers: "all" | "own";
  /** What overrides, hides and resets as one: the file, or the directory that holds it with all its files. */
  readonly unit: "file" | "directory";
};

/**
 * The first row that matches counts. A subagent's declaration is one file, so its unit is the file. What is fetched for
 * all users of an agent lies in the bucket that they share, and shows to all of them.
 */
const rules: readonly (PathRule & { readonly paths: RegExp })[] = [
  { paths: /^(AGENTS\.md|tools\.json)$/, kind: "definition", layers: "all", unit: "file" },
  { paths: /^skills\/[._]/, kind: "runtime", layers: "own", unit: "file" },
  { paths: /^skills\/[^/]+\//, kind: "definition", layers: "all", unit: "directory" },
  { paths: /^(knowledge|skills|subagents)\//, kind: "definition", layers: "all", unit: "file" },
  {
    paths: /^\.agents\/skills\/[^/._][^/]*\//,
    kind: "definition",
    layers: "all",
    unit: "directory",
  },
  { paths: /^\.agents\/skills\/[^/._]/, kind: "definition", layers: "all", unit: "file" },
  { paths: /^\.skills-cache\//, kind: "runtime", layers: "all", unit: "file" },
  { paths: /^memory\/\./, kind: "runtime", layers: "own", unit: "file" },
  { paths: /^(MEMORY\.md$|memory\/)/, kind: "memory", layers: "own", unit: "file" },
  { paths: /^(agents|plans|large_tool_results)\//, kind: "runtime", layers: "own", unit: "file" },
  { paths: /^\.[^/]+\//, kind: "runtime", layers: "own", unit: "file" },
];

const working: PathRule = { kind: "working", layers: "all", unit: "file" };

/** The rule for a file at `path`, whether it exists or not. */
export function ruleOf(path: WorkspacePath): PathRule {
  return rules.find(({ paths }) => paths.test(path)) ?? working;
}

/** The path of the unit that a file belongs to: its own, or that of its skill's directory. */
export function unitOf(path: WorkspacePath): WorkspacePath {
  if (ruleOf(path).unit === "file") return path;
  return path.split("/", path.startsWith(".") ? 3 : 2).join("/") as WorkspacePath;
}

/** Where what repositories of skills bring is kept, below the root. */
export const CACHE = ".skills-cache";

/** Where the records of sessions lie, below the root. */
export const RECORDS: readonly string[] = ["agents", "plans", "large_tool_results"];

/** Whether a path lies among the records of sessions. */
export const isRecordPath = (path: WorkspacePath): boolean =>
  RECORDS.includes(path.split("/", 1)[0] ?? "");

/** Whether a whiteout can be for `path`: it is a unit, and not the name of a directory that every workspace has. */
export const isHideable = (path: WorkspacePath): boolean =>
  unitOf(path) === path && (path.includes("/") || path.startsWith(".") || !isDirectory(path));

const isDirectory = (name: WorkspacePath): boolean =>
  ruleOf(`${name}/file` as WorkspacePath).kind !== "working";
