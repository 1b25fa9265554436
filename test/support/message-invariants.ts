import type { JournalEntry } from "../../src/session/entries.ts";
import { toModelMessages } from "../../src/session/transcript.ts";
import type { ModelMessage } from "../../src/shared/messages.ts";

/** What a provider would refuse in these messages (promise T6); empty when it takes them. */
export function messageViolations(messages: readonly ModelMessage[]): string[] {
  const found: string[] = [];
  if (messages.length > 0 && messages[0]?.role !== "user") found.push("does not start with a user");
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = callsOf(message);
    for (const call of calls) {
      if (seen.has(call)) found.push(`call ${call} is there twice`);
      seen.add(call);
    }
    if (before?.role === message.role) found.push(`two messages of role ${message.role} adjoin`);
    if (message.role === "tool") {
      const results = message.results.map(({ call }) => call);
      const open = before ? callsOf(before) : [];
      if (results.join() !== open.join())
        found.push(`results [${results.join()}] follow the calls [${open.join()}]`);
    } else if (before && callsOf(before).length > 0) {
      found.push(`calls [${callsOf(before).join()}] have no results`);
    }
  }
  const last = messages.at(-1);
  if (last && callsOf(last).length > 0) found.push("ends with calls that have no results");
  return found;
}

/** The same of a request to a model: it also has to end with what the model is asked to answer. */
export function requestViolations(messages: readonly ModelMessage[]): string[] {
  const isQuestion = messages.at(-1)?.role === "user" || messages.at(-1)?.role === "tool";
  return [...messageViolations(messages), ...(isQuestion ? [] : ["ends with an answer"])];
}

/** `messageViolations` of the history as it was after each of these entries, in order. */
export function historyViolations(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry, index) =>
    messageViolations(toModelMessages(entries.slice(0, index + 1))).map(
      (what) => `history up to seq ${entry.seq}: ${what}`,
    ),
  );
}

const callsOf = (message: ModelMessage): string[] =>
  message.role === "assistant"
    ? message.parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []))
    : [];
