import type { SessionAddress } from "../shared/session-address.ts";
import type { ContentPart, StepPart } from "../shared/messages.ts";
import { replyId } from "../shared/ids.ts";
import type { Work } from "../shared/plan.ts";
import { pendingCalls, type JournalEntry } from "./entries.ts";
import { toPlanContext, toTasksContext } from "./state-work.ts";
import { attachedParts, groupTurns } from "./transcript.ts";

/** AgentScope's state document: field names and block shapes are the original's. */
export type AgentState = {
  readonly session_id: string;
  readonly user_id: string;
  readonly summary: string;
  readonly context: readonly StateMessage[];
  readonly reply_id: string | null;
  readonly cur_iter: number;
  readonly shutdown_interrupted: boolean;
  readonly permission_context: PermissionContext;
  readonly tool_context: Readonly<Record<string, unknown>>;
  readonly tasks_context: Readonly<Record<string, unknown>>;
  readonly plan_mode_context: Readonly<Record<string, unknown>>;
};

/** What is allowed, in the original's words; rules by the name of their tool. */
export type PermissionContext = {
  readonly mode: string;
  readonly working_directories: readonly string[];
  readonly allow_rules: StateRules;
  readonly deny_rules: StateRules;
  readonly ask_rules: StateRules;
};

export type StateRules = Readonly<Record<string, readonly StateRule[]>>;

/** `rule_content` is `null` where every call of the tool is meant. */
export type StateRule = {
  readonly tool_name: string;
  readonly rule_content: string | null;
  readonly behavior: "ALLOW" | "DENY" | "ASK";
  readonly source: string;
};

export type StateMessage = {
  readonly id: string;
  readonly role: "USER" | "ASSISTANT";
  readonly content: readonly StateBlock[];
  /** UTC, `yyyy-MM-dd HH:mm:ss.SSS`. */
  readonly timestamp: string;
};

export type StateBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "data"; readonly media_type: string; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      /** While it waits for an answer from outside. */
      readonly state?: "asking";
    }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly output: readonly StateBlock[];
      readonly state: string;
    };

/** What of a state is not in the entries of its context. */
export type StateParts = {
  readonly summary: string;
  readonly permission_context: PermissionContext;
  /** The groups of tools that were activated. */
  readonly groups: readonly string[];
  readonly work: Work;
  /** Parts of an imported state that are given back as they came. */
  readonly carried: Readonly<Record<string, unknown>>;
};

/** The state of a session as one document, derived from the entries of its context. */
export function toAgentState(
  address: SessionAddress,
  entries: readonly JournalEntry[],
  openTurn: string | null,
  { summary, permission_context, groups, work, carried }: StateParts,
): AgentState {
  const open = entries.filter((entry) => entry.turn === openTurn);
  const asking = new Set(pendingCalls(open).map(({ call }) => call));
  return {
    session_id: address.session,
    user_id: address.user,
    summary,
    context: groupTurns(entries).flatMap((turn) =>
      turn.entries.flatMap((entry) => toStateMessages(entry, asking)),
    ),
    reply_id: openTurn === null ? null : replyId(openTurn),
    // What was compacted of the turn counts too.
    cur_iter: open.findLast((entry) => entry.kind === "step")?.step ?? 0,
    shutdown_interrupted: false,
    permission_context,
    tool_context: {
      ...(partOf(carried, "tool_context") ?? { activated_groups: [] }),
      ...(groups.length === 0 ? {} : { activated_groups: groups }),
    },
    tasks_context: toTasksContext(work.todos, partOf(carried, "tasks_context")),
    plan_mode_context: toPlanContext(work.plan, partOf(carried, "plan_mode_context")),
  };
}

function partOf(
  carried: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> | null {
  const part = carried[name];
  return typeof part === "object" && part !== null ? { ...part } : null;
}

function toStateMessages(entry: JournalEntry, asking: ReadonlySet<string>): StateMessage[] {
  const timestamp = new Date(entry.at).toISOString().replace("T", " ").replace("Z", "");
  if (entry.kind === "user") {
    return [{ id: entry.turn, role: "USER", content: entry.content.map(toBlock), timestamp }];
  }
  if (entry.kind === "attached") {
    const content = attachedParts(entry.files).map(toBlock);
    return [{ id: `${entry.turn}.${entry.seq}`, role: "USER", content, timestamp }];
  }
  if (entry.kind === "steered") {
    return [{ id: entry.message, role: "USER", content: entry.content.map(toBlock), timestamp }];
  }
  if (entry.kind === "step") {
    return [
      {
        id: `${entry.turn}.${entry.seq}`,
        role: "ASSISTANT",
        content: entry.parts.map((part) => toStepBlock(part, asking)),
        timestamp,
      },
    ];
  }
  if (entry.kind === "result") {
    const output = entry.content.map(toBlock);
    const block: StateBlock = {
      type: "tool_result",
      id: entry.call,
      name: entry.name,
      output,
      state: entry.status,
    };
    return [{ id: `${entry.turn}.${entry.seq}`, role: "ASSISTANT", content: [block], timestamp }];
  }
  return [];
}

const toBlock = (part: ContentPart): StateBlock =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "data", media_type: part.mediaType, data: part.data };

function toStepBlock(part: StepPart, asking: ReadonlySet<string>): StateBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "reasoning") return { type: "thinking", thinking: part.text };
  const state = asking.has(part.call) ? { state: "asking" as const } : {};
  return { type: "tool_use", id: part.call, name: part.name, input: parsed(part.input), ...state };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return { malformed: input };
  }
}
