import { CarrelError } from "../../shared/errors.ts";
import { isWithin } from "../../workspace/layers/overlay.ts";
import { ruleOf } from "../../workspace/layers/path-rules.ts";
import { workspacePath, type WorkspacePath } from "../../workspace/layers/path.ts";

const byPerson = "Only a person may change it, in the Files panel or over HTTP.";
const byHarness = "It is kept by the system itself and cannot be changed by hand.";
/** Whether the agent has a tool of its own for it depends on its definition, so both ways are named. */
const byTool = (tools: string): string =>
  `Use ${tools} if you have it. Otherwise only a person may change it, in the Files panel or over HTTP.`;

/** Who may change what lies under these names of the root; file tools may not (promise W18). */
const owners: ReadonlyMap<string, string> = new Map([
  ["AGENTS.md", byPerson],
  ["tools.json", byPerson],
  ["knowledge", byPerson],
  ["MEMORY.md", byTool("memory_save")],
  ["memory", byTool("memory_save")],
  ["skills", byTool("skill_manage or propose_skill")],
  ["subagents", byTool("agent_generate")],
  ["plans", byTool("plan_write")],
  ["agents", byHarness],
  ["large_tool_results", byHarness],
]);

/** A second place of skills; of the directory above it nothing else is the agent's. */
const OTHER_SKILLS = workspacePath(".agents/skills");

/** Whether `path` is a name in the root that begins with a dot: a directory of that name is protected, a file is not. */
export const isRootDotName = (path: WorkspacePath): boolean => /^\.[^/]+$/.test(path);

/**
 * Refuses to change the file at `path` when it is, or lies in, what file tools only read: definition, memory and runtime
 * paths, and the files of `also` with the directories that hold them. Throws `CarrelError('forbidden')` that names who
 * may.
 */
export function refuseProtectedFile(
  path: WorkspacePath,
  also: readonly WorkspacePath[] = [],
): void {
  if (also.some((file) => isWithin(path, file) || isWithin(file, path)))
    throw refusal(path, `It is, or holds, a part of every prompt. ${byPerson}`);
  const [top = ""] = isWithin(OTHER_SKILLS, path) ? ["skills"] : path.split("/", 1);
  const owner = owners.get(top) ?? (ruleOf(path).kind === "working" ? undefined : byHarness);
  if (owner !== undefined) throw refusal(path, owner);
}

/** The same for a file or a directory with all below it: also refuses the root, which holds all of them. */
export function refuseProtectedTree(
  path: WorkspacePath,
  also: readonly WorkspacePath[] = [],
): void {
  if (path === "") throw refusal("The root of the workspace", "Name one file or directory in it.");
  refuseProtectedFile(path, also);
}

/** The refusal of a directory whose name begins with a dot, once it is known to be one. */
export const dotDirectoryRefused = (path: WorkspacePath): CarrelError => refusal(path, byHarness);

const refusal = (what: string, owner: string): CarrelError =>
  new CarrelError("forbidden", `${what} cannot be changed with this tool. ${owner}`);
