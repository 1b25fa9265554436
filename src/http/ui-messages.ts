import type { TurnOutcome } from "../shared/events.ts";
import type { ContentPart, Usage } from "../shared/messages.ts";
import type { HistoryMessage, HistoryPart } from "../shared/session-api.ts";
import type { UiMetadata, UiUserPart } from "./ui-chunks.ts";
import { toToolPart, type ClientTools, type UiToolPart } from "./ui-tool-part.ts";

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

export type UiPart =
  | { readonly type: "step-start" }
  | { readonly type: "text"; readonly text: string; readonly state: "done" }
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly text: string;
      readonly state: "done";
    }
  /** A message that was taken into the turn; it stands before the step that was told of it. */
  | {
      readonly type: "steering-message";
      readonly id: string;
      readonly parts: readonly UiUserPart[];
    }
  | UiToolPart;

/** How a turn ended, whether it is told by an event or by the history. */
export type UiEnd = {
  readonly outcome: TurnOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage: Usage;
  readonly at: number;
};

export function toMetadata({ outcome, error, usage, at }: UiEnd): UiMetadata {
  return { outcome, ...(error ? { error } : {}), usage, endedAt: at };
}

export type Answer = Extract<HistoryMessage, { readonly role: "assistant" }>;

/** How an answer's turn ended; `null` while it goes on. */
export function endOf({ state, usage, error, at }: Answer): UiEnd | null {
  if (state !== "completed" && state !== "failed" && state !== "stopped") return null;
  return usage ? { outcome: state, ...(error ? { error } : {}), usage, at } : null;
}

/**
 * Messages of a history page as an AI SDK client would have built them from the streams of their turns, so that
 * they serve as its initial messages. An answer that has not said anything yet is left out.
 */
export function toUiMessages(
  messages: readonly HistoryMessage[],
  clientTools: ClientTools,
): UiMessage[] {
  return messages.flatMap((message): UiMessage[] => {
    if (message.role === "user")
      return [{ id: message.id, role: "user", parts: message.content.map(toUserPart) }];
    const { id, role, state } = message;
    const isOpen = state === "queued" || state === "running" || state === "waiting";
    if (isOpen && message.parts.length === 0) return [];
    const end = endOf(message);
    const parts = toParts(message, clientTools);
    return [{ id, role, ...(end ? { metadata: toMetadata(end) } : {}), parts }];
  });
}

export const toUserPart = (part: ContentPart): UiUserPart =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : {
        type: "file",
        mediaType: part.mediaType,
        url: `data:${part.mediaType};base64,${part.data}`,
      };

/** The parts of an answer, with the starts of its steps. */
export function toParts(message: Answer, clientTools: ClientTools): UiPart[] {
  const parts: UiPart[] = [];
  let from = 0;
  for (const length of message.steps ?? [message.parts.length]) {
    const said = message.parts.slice(from, from + length);
    if (said[0]?.type !== "steered") parts.push({ type: "step-start" });
    for (const [index, part] of said.entries())
      parts.push(toPart(part, partId(from + index), clientTools));
    from += length;
  }
  return parts;
}

/** The id of a part within its message: its place among the message's parts, starts of steps not counted. */
export const partId = (index: number): string => String(index);

function toPart(part: HistoryPart, id: string, clientTools: ClientTools): UiPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, state: "done" };
    case "reasoning":
      return { type: "reasoning", id, text: part.text, state: "done" };
    case "steered":
      return { type: "steering-message", id: part.message, parts: part.content.map(toUserPart) };
    case "tool":
      return toToolPart(part, clientTools);
  }
}
