import type { ContentPart, ModelMessage, ToolCall, ToolResult } from "../../shared/messages.ts";
import { withoutReminders } from "../../shared/reminder.ts";
import type { ModelRequest, ToolSpec } from "../model.ts";

/** A call of this turn with its result. */
export type Outcome = {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly text: string;
};

/** All that the rules may look at: one request, taken apart. */
export type Conversation = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  /** The newest user message, trimmed. */
  readonly said: string;
  /** `said` in lower case with plain apostrophes and single spaces, for matching. */
  readonly plain: string;
  readonly images: number;
  /** Earlier user messages, oldest first; before them a summary of what was said before those. */
  readonly earlier: readonly string[];
  /** What tools answered since the newest user message, in call order. */
  readonly outcomes: readonly Outcome[];
  /** How many steps with tool calls this turn has taken. */
  readonly steps: number;
  /** Whether nothing was answered in words before. */
  readonly isFirst: boolean;
  /** Everything said by either side, oldest first. */
  readonly transcript: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
};

/** Takes a request apart. Results without a call, and calls without a result, are left out. */
export function readConversation(request: ModelRequest): Conversation {
  const messages = withoutReminders(request.messages);
  const newest = messages.findLastIndex((message) => message.role === "user");
  const content = messages[newest]?.role === "user" ? messages[newest].content : [];
  const turn = messages.slice(newest + 1);
  const said = saidIn(content).trim();
  const transcript = messages.flatMap(spoken);
  return {
    system: request.system,
    tools: request.tools,
    said,
    plain: plainText(said),
    images: content.filter((part) => part.type === "image").length,
    earlier: [
      ...summaryIn(messages[0]),
      ...messages
        .slice(0, Math.max(0, newest))
        .flatMap((message) => (message.role === "user" ? saidIn(message.content) : [])),
    ],
    outcomes: outcomesOf(turn),
    steps: turn.filter((message) => callsOf(message).length > 0).length,
    isFirst: !transcript.some((entry) => entry.role === "assistant"),
    transcript,
  };
}

export const offers = (talk: Conversation, tool: string): boolean =>
  talk.tools.some((spec) => spec.name === tool);

export function plainText(text: string): string {
  return text.toLowerCase().replaceAll(/[’‘]/g, "'").replaceAll(/\s+/g, " ").trim();
}

function spoken(message: ModelMessage): Conversation["transcript"] {
  if (message.role === "tool") return [];
  const text =
    message.role === "user"
      ? saidIn(message.content)
      : message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text.trim() === "" ? [] : [{ role: message.role, text }];
}

function outcomesOf(turn: readonly ModelMessage[]): Outcome[] {
  const results = turn.flatMap((message) => (message.role === "tool" ? message.results : []));
  return turn.flatMap(callsOf).flatMap((call) => {
    const result = results.find((candidate) => candidate.call === call.call);
    return result ? [{ call, result, text: textOf(result.content) }] : [];
  });
}

function callsOf(message: ModelMessage): ToolCall[] {
  return message.role === "assistant"
    ? message.parts.filter((part) => part.type === "tool-call")
    : [];
}

/** The summary at the front of a shortened conversation. */
const summaryIn = (first: ModelMessage | undefined): string[] =>
  (first?.role === "user" ? first.content : []).flatMap((part) =>
    part.type === "text" && part.text.startsWith(SUMMARY) ? part.text : [],
  );

/** What the user said, without what was added to it: files, a summary, results of before, and how the answer has to be given. */
const saidIn = (content: readonly ContentPart[]): string =>
  textOf(content.filter((part) => part.type !== "text" || !ADDED.test(part.text)));

const SUMMARY = "<conversation_summary>";

const ADDED = /^<(?:attached_file path="|output_format>|conversation_summary>|kept_results>)/;

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}
