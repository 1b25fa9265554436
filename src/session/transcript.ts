import type { ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";
import type { EntryOf, JournalEntry } from "./entries.ts";

/** The entries of one turn, in order. */
export type TurnEntries = { readonly turn: string; readonly entries: readonly JournalEntry[] };

/**
 * Entries grouped by turn, in order, without the turns whose answer was given anew. Turns never interleave:
 * a queued message becomes an entry only when its turn starts.
 */
export function groupTurns(entries: readonly JournalEntry[]): TurnEntries[] {
  const turns: { turn: string; entries: JournalEntry[] }[] = [];
  const replaced = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "user" && entry.replaces !== undefined) replaced.add(entry.replaces);
    const open = turns.at(-1);
    if (open?.turn === entry.turn) open.entries.push(entry);
    else turns.push({ turn: entry.turn, entries: [entry] });
  }
  return turns.filter(({ turn }) => !replaced.has(turn));
}

/**
 * The history as any provider accepts it (promise T6), whatever interrupted it: user messages never adjoin,
 * every tool call that is kept has exactly one result, and no result is without its call.
 */
export function toModelMessages(entries: readonly JournalEntry[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const { entries: turn } of groupTurns(entries)) {
    for (const entry of turn) {
      if (entry.kind === "user") pushUser(messages, entry);
      if (entry.kind === "step") pushStep(messages, entry, turn);
    }
  }
  return messages;
}

function pushUser(messages: ModelMessage[], entry: EntryOf<"user">): void {
  const before = messages.at(-1);
  // A turn that failed without an answer leaves its question; two questions become one message.
  if (before?.role === "user")
    messages[messages.length - 1] = {
      role: "user",
      content: [...before.content, ...entry.content],
    };
  else messages.push({ role: "user", content: entry.content });
}

function pushStep(
  messages: ModelMessage[],
  entry: EntryOf<"step">,
  turn: readonly JournalEntry[],
): void {
  const isCut = entry.finish === "stopped" || entry.finish === "failed";
  const parts = entry.parts.filter((part) =>
    part.type === "tool-call" ? !isCut : part.text !== "" || isSigned(part),
  );
  if (!parts.some((part) => part.type !== "reasoning")) return;
  messages.push({ role: "assistant", parts });
  const results = parts.flatMap((part) =>
    part.type === "tool-call" ? [resultOf(part, turn)] : [],
  );
  if (results.length > 0) messages.push({ role: "tool", results });
}

const isSigned = (part: StepPart): boolean =>
  part.type === "reasoning" && part.signature !== undefined;

function resultOf(
  part: Extract<StepPart, { type: "tool-call" }>,
  turn: readonly JournalEntry[],
): ToolResult {
  const found = turn.find((entry) => entry.kind === "result" && entry.call === part.call);
  if (found?.kind === "result") {
    return { call: part.call, name: part.name, status: found.status, content: found.content };
  }
  return {
    call: part.call,
    name: part.name,
    status: "interrupted",
    content: [{ type: "text", text: "This call has no result: the turn ended first." }],
  };
}
