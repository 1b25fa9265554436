import type { TurnOutcome } from "../shared/events.ts";
import type { ContentPart, Usage } from "../shared/messages.ts";
import type { HistoryMessage, HistoryPart } from "../shared/session-api.ts";

/** A message as the AI SDK's clients keep it (`UIMessage` of `ai` 7), in the parts that Carrel makes. */
export type UiMessage =
  | { readonly id: string; readonly role: "user"; readonly parts: readonly UiUserPart[] }
  | {
      readonly id: string;
      readonly role: "assistant";
      /** Absent until the turn ended. */
      readonly metadata?: UiMetadata;
      readonly parts: readonly UiPart[];
    };

export type UiUserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mediaType: string; readonly url: string };

export type UiPart =
  | { readonly type: "step-start" }
  | { readonly type: "text"; readonly text: string; readonly state: "done" }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly text: string;
      readonly state: "done";
    }
  | ({
      readonly type: "dynamic-tool";
      readonly toolName: string;
      readonly toolCallId: string;
      readonly input: unknown;
    } & (
      | { readonly state: "input-available" }
      | { readonly state: "output-available"; readonly output: unknown }
      | { readonly state: "output-error"; readonly errorText: string }
      | { readonly state: "output-denied"; readonly approval: UiDenial }
    ));

/** How the SDK notes a call that was denied without asking anyone. */
export type UiDenial = {
  readonly id: string;
  readonly isAutomatic: true;
  readonly approved: false;
  readonly reason: string;
};

/** What a finished answer tells beside its parts, in `message.metadata`. */
export type UiMetadata = {
  readonly outcome: TurnOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  /** Tokens of the whole turn. */
  readonly usage: Usage;
  /** When the turn ended, in milliseconds since the epoch. */
  readonly endedAt: number;
};

/** The metadata of an ended turn; the same whether it is told by an event or by the history. */
export function toMetadata(end: {
  readonly outcome: TurnOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage: Usage;
  readonly at: number;
}): UiMetadata {
  const { outcome, error, usage, at } = end;
  return { outcome, ...(error ? { error } : {}), usage, endedAt: at };
}

/**
 * Messages of a history page as an AI SDK client would have built them from the streams of their turns, so that
 * they serve as its initial messages. An answer that has not said anything yet is left out.
 */
export function toUiMessages(messages: readonly HistoryMessage[]): UiMessage[] {
  return messages.flatMap((message): UiMessage[] => {
    if (message.role === "user")
      return [{ id: message.id, role: "user", parts: message.content.map(toUserPart) }];
    const { id, role, state, error, usage, at } = message;
    const isEnded = state === "completed" || state === "failed" || state === "stopped";
    if (!isEnded && message.parts.length === 0) return [];
    const end =
      isEnded && usage ? { outcome: state, ...(error ? { error } : {}), usage, at } : null;
    return [{ id, role, ...(end ? { metadata: toMetadata(end) } : {}), parts: toParts(message) }];
  });
}

const toUserPart = (part: ContentPart): UiUserPart =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : {
        type: "file",
        mediaType: part.mediaType,
        url: `data:${part.mediaType};base64,${part.data}`,
      };

function toParts(message: Extract<HistoryMessage, { role: "assistant" }>): UiPart[] {
  const parts: UiPart[] = [];
  let from = 0;
  for (const length of message.steps ?? [message.parts.length]) {
    parts.push({ type: "step-start" });
    for (const [index, part] of message.parts.slice(from, from + length).entries())
      parts.push(toPart(part, partId(from + index)));
    from += length;
  }
  return parts;
}

/** The id of a part within its message: its place among the message's parts, steps not counted. */
export const partId = (index: number): string => String(index);

function toPart(part: HistoryPart, id: string): UiPart {
  if (part.type === "steered") return { type: "text", text: "", state: "done" };
  if (part.type === "text") return { type: "text", text: part.text, state: "done" };
  if (part.type === "reasoning") return { type: "reasoning", id, text: part.text, state: "done" };
  const { input, error } = parseToolInput(part.input);
  const { call: toolCallId, name: toolName } = part;
  const tool = { type: "dynamic-tool", toolName, toolCallId, input } as const;
  if (!part.result) {
    return error === undefined
      ? { ...tool, state: "input-available" }
      : { ...tool, state: "output-error", errorText: error };
  }
  const text = textOf(part.result.content);
  if (part.result.status === "success")
    return { ...tool, state: "output-available", output: toToolOutput(part.result.content) };
  if (part.result.status === "denied")
    return { ...tool, state: "output-denied", approval: toDenial(toolCallId, text) };
  return { ...tool, state: "output-error", errorText: text };
}

export const toDenial = (call: string, reason: string): UiDenial => ({
  id: call,
  isAutomatic: true,
  approved: false,
  reason,
});

/** The arguments of a call, `{}` when there are none; as they were written, with an error, when they are not JSON. */
export function parseToolInput(text: string): { readonly input: unknown; readonly error?: string } {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return { input: text, error: "The arguments are not valid JSON." };
  }
}

/** What a tool gave: its text, or its parts when there is anything but one text. */
export function toToolOutput(content: readonly ContentPart[]): unknown {
  const [first] = content;
  return content.length === 1 && first?.type === "text" ? first.text : content;
}

/** The text of a result, for where only text fits; an image is named. */
export const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
