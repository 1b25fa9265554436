import { CarrelError } from "../../shared/errors.ts";
import { ruleOf } from "../../workspace/path-rules.ts";
import type { WorkspacePath } from "../../workspace/path.ts";

const byPerson = "Only a person may change it, in the workspace panel or over HTTP.";
const byHarness = "It is kept by the system itself and cannot be changed by hand.";
const byMemory = "Only the memory tools may change it: memory_save.";

/** Who may change what lies under these names of the root; file tools may not (promise W18). */
const owners: ReadonlyMap<string, string> = new Map([
  ["AGENTS.md", byPerson],
  ["tools.json", byPerson],
  ["knowledge", byPerson],
  ["MEMORY.md", byMemory],
  ["memory", byMemory],
  ["skills", "Only the skill tools may: skill_manage, or propose_skill for a draft."],
  ["subagents", "Only agent_generate may change it."],
  ["plans", "Only plan_write may change it."],
  ["agents", byHarness],
  ["large_tool_results", byHarness],
]);

/** Whether `path` is a name in the root that begins with a dot: a directory of that name is protected, a file is not. */
export const isRootDotName = (path: WorkspacePath): boolean => /^\.[^/]+$/.test(path);

/**
 * Refuses to change the file at `path` when it is, or lies in, what file tools only read. Throws
 * `CarrelError('forbidden')` that names who may.
 */
export function refuseProtectedFile(path: WorkspacePath): void {
  const [top = ""] = path.split("/", 1);
  const owner = owners.get(top) ?? (ruleOf(path).kind === "working" ? undefined : byHarness);
  if (owner !== undefined) throw refusal(path, owner);
}

/** The same for a file or a directory with all below it: also refuses the root, which holds all of them. */
export function refuseProtectedTree(path: WorkspacePath): void {
  if (path === "") throw refusal("The root of the workspace", "Name one file or directory in it.");
  refuseProtectedFile(path);
}

/** The refusal of a directory whose name begins with a dot, once it is known to be one. */
export const dotDirectoryRefused = (path: WorkspacePath): CarrelError => refusal(path, byHarness);

const refusal = (what: string, owner: string): CarrelError =>
  new CarrelError("forbidden", `${what} cannot be changed with this tool. ${owner}`);
