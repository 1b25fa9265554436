import type { SessionAddress } from "../shared/session-api.ts";
import type { ContentPart, StepPart } from "../shared/messages.ts";
import { replyId } from "../shared/ids.ts";
import type { JournalEntry } from "./entries.ts";
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
  readonly permission_context: {
    readonly mode: string;
    readonly working_directories: readonly string[];
    readonly allow_rules: Readonly<Record<string, readonly unknown[]>>;
    readonly deny_rules: Readonly<Record<string, readonly unknown[]>>;
    readonly ask_rules: Readonly<Record<string, readonly unknown[]>>;
  };
  readonly tool_context: { readonly activated_groups: readonly string[] };
  readonly tasks_context: { readonly tasks: readonly unknown[] };
  readonly plan_mode_context: {
    readonly plan_active: boolean;
    readonly current_plan_file: string | null;
  };
};

type StateMessage = {
  readonly id: string;
  readonly role: "USER" | "ASSISTANT";
  readonly content: readonly StateBlock[];
  /** UTC, `yyyy-MM-dd HH:mm:ss.SSS`. */
  readonly timestamp: string;
};

type StateBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  | { readonly type: "data"; readonly media_type: string; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly output: readonly StateBlock[];
      readonly state: string;
    };

/** The state of a session as one document, derived from the entries of its context. */
export function toAgentState(
  address: SessionAddress,
  entries: readonly JournalEntry[],
  openTurn: string | null,
): AgentState {
  const steps = entries.filter((entry) => entry.kind === "step" && entry.turn === openTurn).length;
  return {
    session_id: address.session,
    user_id: address.user,
    summary: "",
    context: groupTurns(entries).flatMap((turn) => turn.entries.flatMap(toStateMessages)),
    reply_id: openTurn === null ? null : replyId(openTurn),
    cur_iter: steps,
    shutdown_interrupted: false,
    permission_context: {
      mode: "DEFAULT",
      working_directories: [],
      allow_rules: {},
      deny_rules: {},
      ask_rules: {},
    },
    tool_context: { activated_groups: [] },
    tasks_context: { tasks: [] },
    plan_mode_context: { plan_active: false, current_plan_file: null },
  };
}

function toStateMessages(entry: JournalEntry): StateMessage[] {
  const timestamp = new Date(entry.at).toISOString().replace("T", " ").replace("Z", "");
  if (entry.kind === "user") {
    return [{ id: entry.turn, role: "USER", content: entry.content.map(toBlock), timestamp }];
  }
  if (entry.kind === "attached") {
    const content = attachedParts(entry.files).map(toBlock);
    return [{ id: `${entry.turn}.${entry.seq}`, role: "USER", content, timestamp }];
  }
  if (entry.kind === "step") {
    return [
      {
        id: `${entry.turn}.${entry.seq}`,
        role: "ASSISTANT",
        content: entry.parts.map(toStepBlock),
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

function toStepBlock(part: StepPart): StateBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "reasoning") return { type: "thinking", thinking: part.text };
  return { type: "tool_use", id: part.call, name: part.name, input: parsed(part.input) };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return { malformed: input };
  }
}
