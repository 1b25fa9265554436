import type { UiDenial, UiMetadata } from "./ui-messages.ts";

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
  | "other";

/** All tools are dynamic to a client: it need not know their names and types to show their calls. */
type UiToolChunk =
  | (UiToolCall & { readonly type: "tool-input-start" })
  | {
      readonly type: "tool-input-delta";
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | (UiToolCall & { readonly type: "tool-input-available"; readonly input: unknown })
  | (UiToolCall & {
      readonly type: "tool-input-error";
      readonly input: unknown;
      readonly errorText: string;
    })
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly isAutomatic: UiDenial["isAutomatic"];
    }
  | {
      readonly type: "tool-approval-response";
      readonly approvalId: string;
      readonly approved: UiDenial["approved"];
      readonly reason: string;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string };

type UiToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic: true;
};
