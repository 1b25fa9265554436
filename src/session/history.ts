import type { TurnState } from "../shared/events.ts";
import { replyId } from "../shared/ids.ts";
import type { HistoryMessage, HistoryPart } from "../shared/session-api.ts";
import { questionOf, toPendingCall, type EntryOf, type JournalEntry } from "./entries.ts";
import type { Journal } from "./journal.ts";
import { groupTurns, type TurnEntries } from "./transcript.ts";

/** Characters of one page at most, except that a page holds at least one whole turn. */
const PAGE_CHARS = 1_000_000;

/**
 * The newest turns that start below `before`, as messages for people: about `limit` of them, whole turns
 * only, oldest first. Reads no more rows than it shows, whatever the session's length.
 */
export function readHistory(
  journal: Journal,
  before: number,
  limit: number,
): { readonly messages: HistoryMessage[]; readonly before: number | null } {
  const replacedByNext = journal.first(before);
  const entries: JournalEntry[] = [];
  let messages = 0;
  let chars = 0;
  let hasMore = false;
  for (const entry of journal.backwards(before)) {
    if (entry.kind === "cleared") break;
    if (messages >= limit || (chars > PAGE_CHARS && entries.at(-1)?.kind === "user")) {
      hasMore = true;
      break;
    }
    entries.push(entry);
    chars += JSON.stringify(entry).length;
    if (entry.kind === "user") messages += 2;
  }
  entries.reverse();
  const oldest = entries[0]?.seq ?? null;
  const replaced = replacedByNext?.kind === "user" ? replacedByNext.replaces : undefined;
  const turns = groupTurns(entries).filter(({ turn }) => turn !== replaced);
  return { messages: turns.flatMap(toHistoryMessages), before: hasMore ? oldest : null };
}

/** A turn as one user message and one answer; the answer is absent when nothing was said and the turn goes on. */
export function toHistoryMessages(turn: TurnEntries): HistoryMessage[] {
  const messages: HistoryMessage[] = [];
  const parts: HistoryPart[] = [];
  let state: TurnState = "running";
  let end: Pick<EntryOf<"end">, "error" | "usage" | "output"> | undefined;
  const steps: number[] = [];
  let isCutOff = false;
  let at = 0;
  for (const entry of turn.entries) {
    at = entry.at;
    if (entry.kind === "user") {
      const { message: id = turn.turn } = entry;
      messages.push({ id, role: "user", turn: turn.turn, at, content: entry.content });
    } else if (entry.kind === "step") {
      steps.push(entry.parts.length);
      isCutOff = false;
      for (const part of entry.parts) parts.push(toPart(part, turn.entries));
    } else if (entry.kind === "steered") {
      parts.push({ type: "steered", message: entry.message, content: entry.content });
      steps.push(1);
    } else if (entry.kind === "waiting") {
      state = "waiting";
    } else if (entry.kind === "answered") {
      state = "running";
    } else if (entry.kind === "reset") {
      isCutOff ||= entry.attempt !== null;
    } else if (entry.kind === "end") {
      state = entry.outcome;
      end = entry;
    }
  }
  if (isCutOff) steps.push(0);
  messages.push({
    id: replyId(turn.turn),
    role: "assistant",
    turn: turn.turn,
    at,
    state,
    ...(end?.error === undefined ? {} : { error: end.error }),
    ...(end?.output === undefined ? {} : { output: end.output }),
    ...(end === undefined ? {} : { usage: end.usage }),
    steps,
    parts,
  });
  return messages;
}

function toPart(
  part: Extract<JournalEntry, { kind: "step" }>["parts"][number],
  entries: readonly JournalEntry[],
): HistoryPart {
  if (part.type !== "tool-call") return { type: part.type, text: part.text };
  const found = entries.find((entry) => entry.kind === "result" && entry.call === part.call);
  const result = found?.kind === "result" ? { result: resultOf(found) } : {};
  const { call, name, input } = part;
  return { type: "tool", call, name, input, ...outsideOf(call, entries), ...result };
}

/** What was asked about a call outside, and answered. */
function outsideOf(
  call: string,
  entries: readonly JournalEntry[],
): Pick<Extract<HistoryPart, { type: "tool" }>, "pending" | "answered"> {
  const question = questionOf(entries, call);
  if (!question) return {};
  if (!question.answered) {
    const isOver = entries.some((entry) => entry.kind === "end");
    return isOver ? {} : { pending: toPendingCall(question.asked) };
  }
  const { answer, by, reason, input } = question.answered;
  return {
    answered: {
      answer,
      by,
      ...(reason === undefined ? {} : { reason }),
      ...(input === undefined ? {} : { input }),
      question: {
        what: question.asked.what,
        digest: question.asked.digest,
        reason: question.asked.reason,
      },
    },
  };
}

function resultOf({ status, content, evicted }: EntryOf<"result">) {
  return { status, content, ...(evicted === undefined ? {} : { evicted }) };
}
