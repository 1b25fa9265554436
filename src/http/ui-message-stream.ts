import type { IdentifiedEvent, SessionEvent } from "../shared/events.ts";
import { KEEP_ALIVE } from "../shared/sse.ts";
import { TurnReader, type TurnEvents } from "./turn-reader.ts";
import type { UiChunk, UiFinishReason } from "./ui-chunks.ts";
import {
  parseToolInput,
  partId,
  textOf,
  toDenial,
  toMetadata,
  toToolOutput,
} from "./ui-messages.ts";

/**
 * Tells the events of one turn, from its start to its end, as chunks of the AI SDK's UI message stream. The parts a
 * client builds from them are those of `toUiMessages`. Feed it every event once, in order; what comes before the
 * turn's start or after its end says nothing.
 */
export class UiMessageMapper {
  /** Parts said so far; also the place of the next one. */
  #parts = 0;
  #step: Step | null = null;
  #call: { readonly toolCallId: string; readonly toolName: string; input: string } | null = null;
  #finish: UiFinishReason = "other";
  #state: "waiting" | "running" | "over" = "waiting";

  /** Whether the turn ended: nothing follows. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  take({ id, event }: IdentifiedEvent): UiChunk[] {
    if (event.type === "turn-start" && this.#state === "waiting") {
      this.#state = "running";
      return [{ type: "start", messageId: event.reply }];
    }
    return this.#state === "running" ? this.#take(id, event) : [];
  }

  #take(id: string, event: SessionEvent): UiChunk[] {
    switch (event.type) {
      case "step-start":
        return this.#startStep(id);
      case "text-start":
      case "reasoning-start":
        this.#parts++;
        return [{ type: event.type, id: this.#partId() }];
      case "text":
      case "reasoning":
        return [{ type: `${event.type}-delta`, id: this.#partId(), delta: event.text }];
      case "text-end":
      case "reasoning-end":
        return [{ type: event.type, id: this.#partId() }];
      case "tool-call-start":
        this.#call = { toolCallId: event.call, toolName: event.name, input: "" };
        this.#parts++;
        return [{ type: "tool-input-start", ...named(this.#call) }];
      case "tool-call":
        return this.#extendCall(event.text);
      case "tool-call-end":
        return this.#endCall();
      case "step-end":
        this.#finish = finishReasons[event.finish];
        return [];
      case "tool-result":
        return toOutput(event);
      case "step-reset":
        return this.#reset(event.to);
      case "turn-end":
        this.#state = "over";
        return [...this.#finishStep(), ...toEnd(event, this.#finish)];
      default:
        return [];
    }
  }

  /** The attempt that follows a reset goes on in the step that the client has. */
  #startStep(id: string): UiChunk[] {
    if (this.#step?.isReset === true) {
      this.#step = { ...this.#step, id, isReset: false };
      return [];
    }
    const chunks: UiChunk[] = [...this.#finishStep(), { type: "start-step" }];
    this.#step = { id, firstPart: this.#parts, isReset: false };
    return chunks;
  }

  /** Ends the step that is open. The results of its calls came after what the model said, so not before the next begins. */
  #finishStep(): UiChunk[] {
    return this.#step ? [{ type: "finish-step" }] : [];
  }

  /** A client keeps the step and forgets its parts. One that sees the turn later gets the same: a step without any. */
  #reset(to: string): UiChunk[] {
    const chunks = this.#step?.id === to ? [] : this.#startStep(to);
    if (!this.#step) return chunks;
    if (this.#parts > this.#step.firstPart) chunks.push({ type: "reset-step" });
    this.#parts = this.#step.firstPart;
    this.#step = { ...this.#step, isReset: true };
    return chunks;
  }

  #partId(): string {
    return partId(this.#parts - 1);
  }

  #extendCall(text: string): UiChunk[] {
    if (!this.#call) return [];
    this.#call.input += text;
    return [{ type: "tool-input-delta", toolCallId: this.#call.toolCallId, inputTextDelta: text }];
  }

  #endCall(): UiChunk[] {
    if (!this.#call) return [];
    const { input, error } = parseToolInput(this.#call.input);
    const call = named(this.#call);
    return error === undefined
      ? [{ type: "tool-input-available", ...call, input }]
      : [{ type: "tool-input-error", ...call, input, errorText: error }];
  }
}

type Step = {
  /** Id of its first event, by which a reset names it. */
  readonly id: string;
  readonly firstPart: number;
  /** Whether its attempt was given up and another has not begun yet. */
  readonly isReset: boolean;
};

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

const named = (call: { readonly toolCallId: string; readonly toolName: string }) =>
  ({ toolCallId: call.toolCallId, toolName: call.toolName, dynamic: true }) as const;

const finishReasons = {
  stop: "stop",
  "tool-calls": "tool-calls",
  length: "length",
  refused: "content-filter",
  other: "other",
  stopped: "other",
  failed: "error",
} as const satisfies Record<EventOf<"step-end">["finish"], UiFinishReason>;

function toOutput({ call: toolCallId, status, content }: EventOf<"tool-result">): UiChunk[] {
  if (status === "success") {
    const output = toToolOutput(content);
    return [{ type: "tool-output-available", toolCallId, output, dynamic: true }];
  }
  const text = textOf(content);
  if (status !== "denied")
    return [{ type: "tool-output-error", toolCallId, errorText: text, dynamic: true }];
  const { id: approvalId, isAutomatic, approved, reason } = toDenial(toolCallId, text);
  return [
    { type: "tool-approval-request", approvalId, toolCallId, isAutomatic },
    { type: "tool-approval-response", approvalId, approved, reason },
    { type: "tool-output-denied", toolCallId },
  ];
}

/** A client stops reading at an error, so the metadata of a failed turn comes before it. */
function toEnd(event: EventOf<"turn-end">, finish: UiFinishReason): UiChunk[] {
  const messageMetadata = toMetadata(event);
  if (event.outcome === "completed")
    return [{ type: "finish", finishReason: finish, messageMetadata }];
  const metadata = { type: "message-metadata", messageMetadata } as const;
  if (event.outcome === "stopped") return [metadata, { type: "abort" }];
  return [
    metadata,
    { type: "error", errorText: event.error?.message ?? "The turn failed." },
    {
      type: "finish",
      finishReason: event.error?.code === "model_refused" ? "content-filter" : "error",
    },
  ];
}

/**
 * The body of an answer to an AI SDK client: the turn's chunks as server-sent events, closed by `[DONE]` when the
 * turn ended. Keep-alives pass as comments. It is pulled, so a client that reads slowly costs no memory here; one
 * that leaves ends the session's stream and nothing else.
 */
export function uiMessageStream(turn: TurnEvents): ReadableStream<Uint8Array> {
  const reader = new TurnReader(turn);
  const mapper = new UiMessageMapper();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = "";
      while (text === "") {
        const frames = await reader.read();
        if (!frames) return;
        if (frames.isAlive) text += KEEP_ALIVE;
        for (const chunk of frames.events.flatMap((item) => mapper.take(item)))
          text += frameOf(chunk);
      }
      if (mapper.isOver) text += "data: [DONE]\n\n";
      controller.enqueue(encoder.encode(text));
      if (!mapper.isOver) return;
      controller.close();
      await reader.cancel();
    },
    cancel: () => reader.cancel(),
  });
}

const frameOf = (chunk: UiChunk): string => `data: ${JSON.stringify(chunk)}\n\n`;
