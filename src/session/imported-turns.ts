import type { ContentPart, StepPart, ToolStatus } from "../shared/messages.ts";
import { noUsage } from "../shared/messages.ts";
import type { Sql } from "../shared/sql.ts";
import type { Fact } from "./entries.ts";
import type { DocumentMessage } from "./state-document.ts";

/** A turn that was held elsewhere: facts as a session's own would be, the first one the user's, the last one its end. */
export type ImportedTurn = {
  readonly id: string;
  readonly facts: readonly { readonly fact: Fact; readonly at: number }[];
};

/** What stands for the model of an answer that was given elsewhere. */
const IMPORTED_MODEL = "imported";
/** What stands for the name of a tool that some provider would refuse. */
const IMPORTED_TOOL = "imported_tool";
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NO_QUESTION: ContentPart = { type: "text", text: "(imported)" };
const NO_RESULT: ContentPart = {
  type: "text",
  text: "This call has no result: it was not imported.",
};

/**
 * The turns that these messages make, such that any provider takes them (promise T6): each begins with a message of the
 * user, and each call has one result. Messages of the assistant that follow each other become one step. What has no
 * place is left out: system messages, results without a call, further results of a call, images in answers. Calls get ids
 * that no step of ours can give, and a name of ours where some provider would refuse theirs. A message without a time has
 * that of the one before it, at first `now`.
 */
export function importedTurns(messages: readonly DocumentMessage[], now: number): ImportedTurn[] {
  const builder = new TurnBuilder(now);
  for (const message of messages) {
    builder.at = timeOf(message.timestamp) ?? builder.at;
    if (message.role === "SYSTEM") continue;
    if (message.role === "USER") builder.user(message.content);
    else builder.assistant(message.content);
  }
  return builder.finish();
}

type Block = DocumentMessage["content"][number];
type ResultBlock = Extract<Block, { type: "tool_result" }>;
type Building = {
  readonly id: string;
  readonly facts: { fact: Fact; at: number }[];
  steps: number;
};
type OpenCall = { readonly documentId: string; readonly call: string; readonly name: string };

class TurnBuilder {
  at: number;
  readonly #turns: Building[] = [];
  #calls = 0;
  /** Calls of the newest step that have no result yet. */
  #open: OpenCall[] = [];

  constructor(now: number) {
    this.at = now;
  }

  /** What tools gave belongs to the turn before; the rest begins the next one. */
  user(blocks: readonly Block[]): void {
    for (const block of blocks) if (block.type === "tool_result") this.#result(block);
    const content = contentOf(blocks);
    if (content.length > 0) this.#begin(content);
  }

  assistant(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type === "tool_result") this.#result(block);
      else if (block.type !== "image") this.#say(block);
    }
  }

  finish(): ImportedTurn[] {
    this.#end();
    return this.#turns;
  }

  #begin(content: readonly ContentPart[]): Building {
    this.#end();
    const turn: Building = { id: `import-${this.#turns.length + 1}`, facts: [], steps: 0 };
    this.#turns.push(turn);
    turn.facts.push({ fact: { kind: "user", content }, at: this.at });
    return turn;
  }

  #say(block: Exclude<Block, ResultBlock | { type: "image" }>): void {
    const part = this.#partOf(block);
    if (!part) return;
    const turn = this.#turns.at(-1) ?? this.#begin([NO_QUESTION]);
    const before = turn.facts.at(-1);
    if (before?.fact.kind === "step") {
      before.fact = stepOf(before.fact.step, [...before.fact.parts, part]);
    } else {
      this.#settle(turn);
      turn.steps++;
      turn.facts.push({ fact: stepOf(turn.steps, [part]), at: this.at });
    }
    if (part.type !== "tool-call" || block.type !== "tool_use") return;
    this.#open.push({ documentId: block.id, call: part.call, name: part.name });
  }

  #partOf(block: Exclude<Block, ResultBlock | { type: "image" }>): StepPart | null {
    if (block.type === "text") return block.text === "" ? null : block;
    if (block.type === "thinking") return { type: "reasoning", text: block.thinking };
    const { input = {} } = block;
    const name = TOOL_NAME.test(block.name) ? block.name : IMPORTED_TOOL;
    const call = `import-call-${++this.#calls}`;
    return { type: "tool-call", call, name, input: JSON.stringify(input) };
  }

  #result(block: ResultBlock): void {
    const turn = this.#turns.at(-1);
    const at = this.#open.findIndex(({ documentId }) => documentId === block.id);
    const [open] = at === -1 ? [] : this.#open.splice(at, 1);
    if (!turn || !open) return;
    const { call, name } = open;
    const fact = { kind: "result", call, name } as const;
    const content = block.output;
    turn.facts.push({ fact: { ...fact, status: statusOf(block.state), content }, at: this.at });
  }

  /** A result for every call that has none. */
  #settle(turn: Building): void {
    for (const { call, name } of this.#open)
      turn.facts.push({
        fact: { kind: "result", call, name, status: "interrupted", content: [NO_RESULT] },
        at: this.at,
      });
    this.#open = [];
  }

  #end(): void {
    const turn = this.#turns.at(-1);
    if (!turn) return;
    this.#settle(turn);
    const fact = { kind: "end", outcome: "completed", usage: noUsage, steps: turn.steps } as const;
    turn.facts.push({ fact, at: turn.facts.at(-1)?.at ?? this.at });
  }
}

function stepOf(step: number, parts: readonly StepPart[]): Extract<Fact, { kind: "step" }> {
  const finish = parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  return { kind: "step", step, model: IMPORTED_MODEL, parts, finish, usage: noUsage };
}

const contentOf = (blocks: readonly Block[]): ContentPart[] =>
  blocks.flatMap((block) =>
    block.type === "image" || (block.type === "text" && block.text !== "") ? [block] : [],
  );

const statuses: Readonly<Record<string, ToolStatus>> = {
  success: "success",
  error: "error",
  denied: "denied",
  interrupted: "interrupted",
  unknown: "unknown",
  running: "unknown",
};

const statusOf = (state: string | null | undefined): ToolStatus => {
  const name = (state ?? "success").toLowerCase();
  return (Object.hasOwn(statuses, name) ? statuses[name] : undefined) ?? "success";
};

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)Z?$/;

/** A time as the original writes it, in UTC; `null` for anything else. */
function timeOf(timestamp: string | null | undefined): number | null {
  const [, day, time] = TIMESTAMP.exec(timestamp ?? "") ?? [];
  const at = day === undefined || time === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Writes the row of a turn that has ended elsewhere, in the caller's transaction. Its id can be the key of no message. */
export function insertImported(
  sql: Sql,
  turn: { readonly id: string; readonly start: number; readonly at: number },
): void {
  sql.run(
    `INSERT INTO turn(id, no, digest, state, accepted_at, start) VALUES (?, ?, '', 'completed', ?, ?)`,
    turn.id,
    turn.start,
    turn.at,
    turn.start,
  );
}
