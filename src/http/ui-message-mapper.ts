import {
  compareCursors,
  parseCursor,
  START,
  type IdentifiedEvent,
  type SessionEvent,
  type SessionStatus,
} from "../shared/events.ts";
import { dataOf, toData } from "./ui-data.ts";
import type { UiChunk, UiFinishReason } from "./ui-chunks.ts";
import { partId, toMetadata, toUserPart, type Answer, type UiEnd } from "./ui-messages.ts";
import {
  changeTool,
  parseToolInput,
  toToolPart,
  type ClientTools,
  type ShownTool,
  type ToolView,
} from "./ui-tool-part.ts";

/**
 * Tells the events of one turn, from its start to its end, as chunks of the AI SDK's UI message stream. The parts a
 * client builds from them are those of `toUiMessages`. Feed it every event once, in order; what comes before the
 * turn's start or after its end says nothing.
 */
export class UiMessageMapper {
  readonly #clientTools: ClientTools;
  /** Parts said so far; also the place of the next one. */
  #parts = 0;
  #step: Step | null = null;
  #said: { readonly call: string; readonly name: string; input: string } | null = null;
  readonly #calls = new Map<string, Call>();
  #status: SessionStatus | null = null;
  #finish: UiFinishReason = "other";
  #state: "waiting" | "running" | "over" = "waiting";
  #joined: string | null = null;

  constructor(clientTools: ClientTools) {
    this.#clientTools = clientTools;
  }

  /** One for a client that has this answer as it is: feed it what happened after. `isAhead`: and how the next step begins. */
  static after(answer: Answer, clientTools: ClientTools, isAhead: boolean): UiMessageMapper {
    const mapper = new UiMessageMapper(clientTools);
    mapper.#state = "running";
    mapper.#parts = answer.parts.length;
    // An open turn's step that said nothing was given up; the attempt that follows goes on in it.
    if (isAhead || answer.steps?.at(-1) === 0)
      mapper.#step = { id: "", firstPart: mapper.#parts, isReset: true };
    for (const view of answer.parts) {
      if (view.type !== "tool") continue;
      mapper.#calls.set(view.call, { view, shown: toToolPart(view, clientTools) });
    }
    return mapper;
  }

  /** Whether the turn ended: nothing follows. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  /** The turn that this one's message was taken into, as soon as that is known: nothing follows here. */
  get joined(): string | null {
    return this.#joined;
  }

  /** What a stream's head says of the present, while it goes on to tell the past; what goes on beside the turn is told. */
  takeStatus(status: SessionStatus): UiChunk[] {
    this.#status = status;
    return dataOf(status);
  }

  take({ id, event }: IdentifiedEvent): UiChunk[] {
    if (this.#state === "running") return this.#take(id, event);
    if (this.#state === "over") return [];
    if (event.type === "steered") this.#joined = event.turn;
    if (event.type !== "turn-start") return [];
    this.#joined = null;
    this.#state = "running";
    return [{ type: "start", messageId: event.reply }];
  }

  /** The stream ends here, as the SDK's own does, since the turn waits for someone. */
  rest(): UiChunk[] {
    this.#state = "over";
    return [...this.#finishStep(), { type: "finish", finishReason: "tool-calls" }];
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
        this.#parts++;
        this.#said = { call: event.call, name: event.name, input: "" };
        return [{ type: "tool-input-start", ...this.#named(this.#said) }];
      case "tool-call":
        return this.#extendCall(event.text);
      case "tool-call-end":
        return this.#endCall();
      case "step-end":
        this.#finish = finishReasons[event.finish];
        return [];
      case "tool-result":
      case "call-asked":
      case "call-answered":
        return this.#changeCall(id, event);
      case "steered":
        return this.#steer(event);
      case "step-reset":
        return this.#reset(event.to);
      case "turn-end":
        this.#state = "over";
        return [...this.#finishStep(), ...toEnd(event, this.#finish)];
      default:
        return toData(event);
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

  #steer({ message: id, content }: EventOf<"steered">): UiChunk[] {
    const chunks = this.#finishStep();
    this.#step = null;
    this.#parts++;
    return [...chunks, { type: "steering-message", id, parts: content.map(toUserPart) }];
  }

  #partId(): string {
    return partId(this.#parts - 1);
  }

  #extendCall(text: string): UiChunk[] {
    if (!this.#said) return [];
    this.#said.input += text;
    return [{ type: "tool-input-delta", toolCallId: this.#said.call, inputTextDelta: text }];
  }

  /**
   * A client runs its tool as soon as it is told that the input is whole. So that is kept from it until it is asked to;
   * meanwhile it shows the input as it came.
   */
  #endCall(): UiChunk[] {
    if (!this.#said) return [];
    const view: ToolView = { type: "tool", ...this.#said };
    const { input, error } = parseToolInput(view.input);
    const call = this.#named(view);
    const isHeld = this.#clientTools.has(view.name) && error === undefined;
    const shown = isHeld ? { state: "input-streaming" } : toToolPart(view, this.#clientTools);
    this.#calls.set(view.call, { view, shown });
    if (error !== undefined)
      return [{ type: "tool-input-error", ...call, input, errorText: error }];
    if (!isHeld) return [{ type: "tool-input-available", ...call, input }];
    return view.input.trim() === ""
      ? [{ type: "tool-input-delta", toolCallId: view.call, inputTextDelta: "{}" }]
      : [];
  }

  #changeCall(id: string, event: CallEvent): UiChunk[] {
    const call = this.#calls.get(event.call);
    if (!call) return [];
    const view = changed(call.view, event);
    if (event.type === "call-asked" && event.what === "client" && this.#isSettled(id, event.call)) {
      this.#calls.set(event.call, { ...call, view });
      return [];
    }
    const part = toToolPart(view, this.#clientTools);
    const isHeld = call.shown.state === "input-streaming" && part.state === "input-available";
    const mayRun = view.pending?.what === "client";
    this.#calls.set(event.call, { view, shown: isHeld && !mayRun ? call.shown : part });
    return isHeld && !mayRun ? [] : changeTool(call.shown, part);
  }

  /** Whether what was asked at that event was settled when the stream began. */
  #isSettled(id: string, call: string): boolean {
    const status = this.#status;
    if (!status) return false;
    const isPast = compareCursors(parseCursor(id) ?? START, parseCursor(status.last) ?? START) <= 0;
    return isPast && !status.pending.some((pending) => pending.call === call);
  }

  #named({ call: toolCallId, name: toolName }: { readonly call: string; readonly name: string }) {
    const head = { toolCallId, toolName };
    return this.#clientTools.has(toolName) ? head : ({ ...head, dynamic: true } as const);
  }
}

type Step = {
  /** Id of its first event, by which a reset names it. */
  readonly id: string;
  readonly firstPart: number;
  /** Whether its attempt was given up and another has not begun yet. */
  readonly isReset: boolean;
};

/** What is known of a call, and what the client shows of it. */
type Call = { readonly view: ToolView; readonly shown: ShownTool };

type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

type CallEvent = EventOf<"tool-result" | "call-asked" | "call-answered">;

/** A call after an event, as the history has it. */
function changed(view: ToolView, event: CallEvent): ToolView {
  if (event.type === "tool-result") {
    const { status, content } = event;
    return { ...view, result: { status, content } };
  }
  const { pending, answered: _, ...rest } = view;
  if (event.type === "call-asked") return { ...rest, pending: event };
  if (!pending) return view;
  const { answer, by, reason, input } = event;
  const question = { what: pending.what, digest: pending.digest, reason: pending.reason };
  const more = {
    ...(reason === undefined ? {} : { reason }),
    ...(input === undefined ? {} : { input }),
  };
  return { ...rest, answered: { answer, by, question, ...more } };
}

const finishReasons = {
  stop: "stop",
  "tool-calls": "tool-calls",
  length: "length",
  refused: "content-filter",
  other: "other",
  stopped: "other",
  failed: "error",
} as const satisfies Record<EventOf<"step-end">["finish"], UiFinishReason>;

/**
 * How a turn ended. A client stops reading at an error, so the metadata of a failed turn comes before it. That a stopped
 * one was interrupted keeps a client from sending it again by itself because all its calls have an outcome.
 */
export function toEnd(end: UiEnd, finish: UiFinishReason): UiChunk[] {
  const messageMetadata = toMetadata(end);
  if (end.outcome === "completed")
    return [{ type: "finish", finishReason: finish, messageMetadata }];
  if (end.outcome === "stopped")
    return [{ type: "finish", finishReason: "interrupted", messageMetadata }, { type: "abort" }];
  return [
    { type: "message-metadata", messageMetadata },
    { type: "error", errorText: end.error?.message ?? "The turn failed." },
    {
      type: "finish",
      finishReason: end.error?.code === "model_refused" ? "content-filter" : "error",
    },
  ];
}
