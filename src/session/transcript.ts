import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";
import { splitLines } from "../shared/text.ts";
import { NO_TURN, type AttachedFile, type EntryOf, type JournalEntry } from "./entries.ts";

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
    if (entry.turn === NO_TURN) continue;
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
      if (entry.kind === "user") pushUser(messages, entry.content);
      if (entry.kind === "attached") pushUser(messages, attachedParts(entry.files));
      if (entry.kind === "steered") pushUser(messages, entry.content);
      if (entry.kind === "delivered") pushUser(messages, [{ type: "text", text: told(entry) }]);
      if (entry.kind === "repair") pushUser(messages, [{ type: "text", text: entry.text }]);
      if (entry.kind === "step") pushStep(messages, entry, turn);
    }
  }
  return messages;
}

/** Attached files as the model reads them, after the message that names them; one part each. */
export function attachedParts(files: readonly AttachedFile[]): ContentPart[] {
  return files.map(({ path, text, cut, lineCut = false }) => {
    const lines = splitLines(text).length;
    const line = lineCut ? `\n[Line ${lines} is too long: only its beginning is shown.]` : "";
    const more = cut ? `\n[The file goes on: read_file shows the rest, with offset=${lines}.]` : "";
    const name = path
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;");
    return {
      type: "text",
      text: `<attached_file path="${name}">\n${text}${line}${more}\n</attached_file>`,
    };
  });
}

/**
 * The etag that `path` had when the model was last shown all of it or wrote it, as far as that is still in its
 * context; `null` when it never was. What only reads in the newest step does not count: the model has not seen it.
 */
export function lastSeen(entries: readonly JournalEntry[], path: string): string | null {
  const shown = groupTurns(entries).flatMap((turn) => turn.entries);
  const step = shown.findLastIndex((entry) => entry.kind === "step");
  for (let index = shown.length - 1; index >= 0; index--) {
    const entry = shown[index];
    if (entry?.kind !== "result" && entry?.kind !== "attached") continue;
    const { seen } = entry;
    if (seen === undefined || !Object.hasOwn(seen, path)) continue;
    if (index > step && entry.kind === "result" && !isEffect(entry.call, shown)) continue;
    return seen[path] ?? null;
  }
  return null;
}

const isEffect = (call: string, entries: readonly JournalEntry[]): boolean =>
  entries.some((entry) => entry.kind === "intent" && entry.call === call);

/** What came of tasks, as the model reads it. No text in it can close its tag. */
function told({ tasks }: EntryOf<"delivered">): string {
  const texts = tasks.map(
    ({ id, agent, state, text, cut }) =>
      `<task_result id="${id}" agent="${agent}" status="${state}">\n${text.replaceAll(/<(?=\/?task_result)/gi, "&lt;")}${
        cut ? `\n[There is more: task_output with task_id=${id} shows it.]` : ""
      }\n</task_result>`,
  );
  const head =
    "Work that was handed on has ended. This is what came of it; the user has not said anything.";
  return [head, ...(texts.length === 0 ? ["It was told before."] : texts)].join("\n");
}

function pushUser(messages: ModelMessage[], content: readonly ContentPart[]): void {
  if (content.length === 0) return;
  const before = messages.at(-1);
  // A turn that failed without an answer leaves its question; two questions become one message.
  if (before?.role === "user")
    messages[messages.length - 1] = { role: "user", content: [...before.content, ...content] };
  else messages.push({ role: "user", content });
}

function pushStep(
  messages: ModelMessage[],
  entry: EntryOf<"step">,
  turn: readonly JournalEntry[],
): void {
  const parts = saidIn(entry);
  if (parts.length === 0) return;
  messages.push({ role: "assistant", parts });
  const results = parts.flatMap((part) =>
    part.type === "tool-call" ? [resultOf(part, turn)] : [],
  );
  if (results.length > 0) messages.push({ role: "tool", results });
}

/** What of a step the model is shown again: no calls where it was cut short, nothing where it only thought. */
export function saidIn({ parts, finish }: EntryOf<"step">): StepPart[] {
  const isCut = finish === "stopped" || finish === "failed";
  const said = parts.filter((part) =>
    part.type === "tool-call" ? !isCut : part.text !== "" || isSigned(part),
  );
  return said.some((part) => part.type !== "reasoning") ? said : [];
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
