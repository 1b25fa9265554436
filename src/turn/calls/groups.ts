import type { JournalEntry } from "../../session/entries.ts";
import { writeState } from "../../session/state-documents.ts";
import type { ToolSpec } from "../../model/model.ts";
import type { Tool } from "../../tools/tool.ts";
import type { SessionCore } from "../core.ts";
import type { PreparedTurn } from "../prepare.ts";

/** Groups of one session. */
const MAX_GROUPS = 100;
const MAX_NAME_CHARS = 200;

/** What can name a group. */
export const isGroupName = (name: unknown): name is string =>
  typeof name === "string" && name !== "" && name.length <= MAX_NAME_CHARS;

/** Those of `names` that `active` has not yet, each once, as far as there is room for them. */
export function newGroups(active: readonly string[], names: readonly string[] = []): string[] {
  const added = new Set(names.filter((name) => isGroupName(name) && !active.includes(name)));
  return [...added].slice(0, Math.max(0, MAX_GROUPS - active.length));
}

/** The groups of a session with these, in the caller's commit; they belong into `core.groups` once that is done. */
export function addGroups(
  { sql, groups }: SessionCore,
  added: readonly string[],
): readonly string[] {
  if (added.length === 0) return groups;
  const all = [...groups, ...added];
  writeState(sql, "groups", all);
  return all;
}

const isOffered = ({ group }: Tool, active: readonly string[]): boolean =>
  group === undefined || active.includes(group);

/** What the next request offers of a turn's tools: the same in every step, unless a group was activated in between. */
export function offeredSpecs(
  { specs, tools }: Pick<PreparedTurn, "specs" | "tools">,
  active: readonly string[],
): readonly ToolSpec[] {
  return specs.filter(({ name }) => {
    const tool = tools.get(name);
    return tool !== undefined && isOffered(tool, active);
  });
}

/** The groups that the newest step was asked with: those of results that came after it count from the next one on. */
export function groupsInStep(
  active: readonly string[],
  entries: readonly JournalEntry[],
): readonly string[] {
  const step = entries.findLastIndex(({ kind }) => kind === "step");
  const later = entries
    .slice(step + 1)
    .flatMap((entry) => (entry.kind === "result" ? (entry.activates ?? []) : []));
  return later.length === 0 ? active : active.filter((group) => !later.includes(group));
}

/** Why a call of this tool may not be made, in words for the model; `null` where the step was offered it. */
export function notOffered(tool: Tool, active: readonly string[]): string | null {
  if (isOffered(tool, active)) return null;
  return `This tool is not available yet: it belongs to the group "${tool.group ?? ""}".`;
}
