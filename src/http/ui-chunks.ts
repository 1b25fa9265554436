import type { TurnOutcome } from "../shared/events.ts";
import type { UiDataChunk } from "./ui-data.ts";
import type { Usage } from "../shared/messages.ts";

/** The chunks of the AI SDK's UI message stream (`uiMessageChunkSchema` of `ai` 7) that Carrel sends. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | {
      readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end";
      readonly id: string;
    }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | UiToolChunk
  | UiDataChunk
  | {
      readonly type: "steering-message";
      readonly id: string;
      readonly parts: readonly UiUserPart[];
    }
  | { readonly type: "message-metadata"; readonly messageMetadata: UiMetadata }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort" }
  | {
      readonly type: "finish";
      readonly finishReason: UiFinishReason;
      readonly messageMetadata?: UiMetadata;
    };

export type UiFinishReason =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "interrupted"
  | "other";

export type UiToolChunk =
  | (UiToolCall & { readonly type: "tool-input-start" })
  | {
      readonly type: "tool-input-delta";
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | (UiToolCall & {
      readonly type: "tool-input-available";
      readonly input: unknown;
      readonly toolMetadata?: UiEdited;
    })
  | (UiToolCall & {
      readonly type: "tool-input-error";
      readonly input: unknown;
      readonly errorText: string;
    })
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string;
      readonly isAutomatic?: true;
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | (UiToolOutput & { readonly type: "tool-output-available"; readonly output: unknown })
  | (UiToolOutput & { readonly type: "tool-output-error"; readonly errorText: string })
  | { readonly type: "tool-output-denied"; readonly toolCallId: string };

/** A server's tool is dynamic to a client: it need not know its name and types to show its calls. */
type UiToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic?: true;
};

type UiToolOutput = { readonly toolCallId: string; readonly dynamic?: true };

/** Says of a call that a person put other arguments in the place of the model's. */
export type UiEdited = { readonly edited: true };

/** A part of a user's message as the SDK's clients keep it. */
export type UiUserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mediaType: string; readonly url: string };

/** What a finished answer tells beside its parts, in `message.metadata`. */
export type UiMetadata = {
  readonly outcome: TurnOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  /** Tokens of the whole turn. */
  readonly usage: Usage;
  /** When the turn ended, in milliseconds since the epoch. */
  readonly endedAt: number;
};
