import type {
  CallAnswered,
  PendingCall,
  SessionEvent,
  TurnOutcome,
  TurnState,
} from "../../src/shared/events.ts";
import type { ContentPart, ToolStatus } from "../../src/shared/messages.ts";
import { noUsage } from "../../src/shared/messages.ts";
import type { HistoryMessage, HistoryPart } from "../../src/shared/session-api.ts";

type HistoryToolPart = Extract<HistoryPart, { type: "tool" }>;
/** What a turn needs of its session. */
type Host = {
  turns: FakeTurn[];
  title: string;
  fact(event: SessionEvent): string;
  said(event: SessionEvent, units: number): string;
};
type Evicted = { readonly path: string; readonly chars: number };
type AnswerDetail = { readonly reason?: string; readonly input?: string };

/** One turn, played by a test: `start`, then `step`, `text`, `call`…, then `end`. */
export class FakeTurn {
  readonly id: string;
  readonly content: readonly ContentPart[];
  state: TurnState = "queued";
  isReplaced = false;
  /** Cursor just before its first event. */
  begins: string | null = null;
  readonly #session: Host;
  readonly #regenerates: FakeTurn | null;
  #parts: HistoryPart[] = [];
  #kept = 0;
  #attempt = "";
  #open: "text" | "reasoning" | null = null;
  #error: { code: string; message: string } | undefined;
  #calls = 0;
  #asked = 0;

  constructor(
    session: Host,
    id: string,
    content: readonly ContentPart[],
    regenerates: FakeTurn | null,
  ) {
    this.#session = session;
    this.id = id;
    this.content = content;
    this.#regenerates = regenerates;
    session.turns.push(this);
    const [first] = content;
    if (session.title === "" && first?.type === "text")
      session.title = first.text.split("\n", 1)[0] ?? "";
  }

  /** Its calls that wait for an answer. */
  get pending(): PendingCall[] {
    return this.#parts.flatMap((part) =>
      part.type === "tool" && part.pending ? [part.pending] : [],
    );
  }

  /** How a call of it was answered, if it was. */
  answerTo(call: string): HistoryToolPart["answered"] {
    return this.#indexOf(call) < 0 ? undefined : this.#toolPart(call).answered;
  }

  get hasEnded(): boolean {
    return this.state === "completed" || this.state === "failed" || this.state === "stopped";
  }

  start(): this {
    const replaces = this.#regenerates ? { replaces: this.#regenerates.id } : {};
    if (this.#regenerates) this.#regenerates.isReplaced = true;
    this.state = "running";
    const first = this.#session.fact({
      type: "turn-start",
      turn: this.id,
      reply: `${this.id}.reply`,
      content: this.content,
      ...replaces,
      at: 1,
    });
    this.begins = `${Number.parseInt(first) - 1}.0`;
    return this;
  }

  step(): this {
    this.#kept = this.#parts.length;
    this.#attempt = this.#session.fact({
      type: "step-start",
      turn: this.id,
      step: 1,
      model: "test:scripted",
    });
    return this;
  }

  text(text: string): this {
    return this.#speak("text", text);
  }

  reasoning(text: string): this {
    return this.#speak("reasoning", text);
  }

  /** A whole tool call, in two pieces of its arguments; its result is `result`. */
  call(name: string, input: string): this {
    this.#close();
    const call = `${this.id}_call_${this.#calls++}`;
    this.#parts.push({ type: "tool", call, name, input });
    this.#session.said({ type: "tool-call-start", call, name }, 1);
    const half = Math.ceil(input.length / 2);
    for (const text of [input.slice(0, half), input.slice(half)])
      this.#session.said({ type: "tool-call", text }, text.length);
    this.#session.said({ type: "tool-call-end" }, 1);
    return this;
  }

  endStep(): this {
    this.#close();
    this.#session.said({ type: "step-end", finish: "stop", usage: noUsage }, 1);
    return this;
  }

  result(status: "success" | "error", text: string): this {
    const part = this.#parts.findLast((one) => one.type === "tool");
    if (part?.type !== "tool") throw new Error("No call to answer.");
    return this.#result(part.call, status, text);
  }

  /** The newest call has a result that was too long: `text` is what stays of it. */
  evicted(text: string, evicted: Evicted): this {
    const part = this.#parts.findLast((one) => one.type === "tool");
    if (part?.type !== "tool") throw new Error("No call to answer.");
    return this.#result(part.call, "success", text, evicted);
  }

  /** The newest call waits for an answer; asked again, it is another question. */
  ask(more: Partial<PendingCall> = {}): this {
    const part = this.#parts.findLast((one) => one.type === "tool");
    if (part?.type !== "tool") throw new Error("No call to ask about.");
    const { call, name, input } = part;
    const pending: PendingCall = {
      turn: this.id,
      call,
      name,
      what: "approval",
      input,
      suggested: [],
      digest: `${call} ${++this.#asked}`,
      reason: `${name} acts outside the workspace.`,
      expiresAt: Date.now() + 86_400_000,
      ...more,
    };
    this.#change(call, { pending });
    this.#session.fact({ type: "call-asked", at: 1, ...pending });
    return this;
  }

  /** Nothing is left to do but to wait. */
  wait(): this {
    this.state = "waiting";
    const calls = this.pending.map(({ call }) => call);
    const expiresAt = Math.min(...this.pending.map((each) => each.expiresAt));
    const { id: turn } = this;
    const event = { type: "turn-waiting", turn, reply: `${turn}.reply`, calls, expiresAt, at: 1 };
    this.#session.fact(event as SessionEvent);
    return this;
  }

  /** A call is answered, and a denied one has its result. */
  answer(call: string, answer: CallAnswered, by: string, more: AnswerDetail = {}): this {
    const { pending, ...rest } = this.#toolPart(call);
    if (!pending) throw new Error("Nobody asked.");
    const { digest, reason, what } = pending;
    const answered = { answer, by, question: { digest, reason, what }, ...more };
    this.#parts[this.#indexOf(call)] = { ...rest, answered };
    if (answer === "approved" || this.pending.length === 0) this.state = "running";
    this.#session.fact({ type: "call-answered", turn: this.id, call, answer, by, ...more, at: 1 });
    return answer === "denied" || answer === "expired"
      ? this.#result(call, "denied", more.reason ?? "The person said no.")
      : this;
  }

  /** A message that waited is taken into this turn. */
  steer(message: FakeTurn): this {
    const { id, content } = message;
    this.#session.turns = this.#session.turns.filter((turn) => turn !== message);
    this.#parts.push({ type: "steered", message: id, content });
    this.#session.fact({ type: "steered", turn: this.id, message: id, content, at: 1 });
    return this;
  }

  /** The attempt is given up, as after a crash. */
  reset(): this {
    this.#parts.length = this.#kept;
    this.#open = null;
    this.#session.fact({
      type: "step-reset",
      turn: this.id,
      to: this.#attempt,
      reason: "interrupted",
    });
    return this;
  }

  end(outcome: TurnOutcome = "completed", error?: { code: string; message: string }): this {
    if (this.hasEnded) return this;
    this.#close();
    this.state = outcome;
    this.#error = error;
    const usage = { input: 100, output: 1_234, cached: 0 };
    const why = error ? { error } : {};
    this.#session.fact({
      type: "turn-end",
      turn: this.id,
      reply: `${this.id}.reply`,
      outcome,
      ...why,
      usage,
      steps: 1,
      at: 1,
    });
    return this;
  }

  messages(): HistoryMessage[] {
    const error = this.#error ? { error: this.#error } : {};
    const { id: turn, content, state } = this;
    const parts = this.#parts.map((part) => ({ ...part }));
    return [
      { id: turn, role: "user", turn, at: 1, content },
      { id: `${turn}.reply`, role: "assistant", turn, at: 1, state, ...error, parts },
    ];
  }

  #result(call: string, status: ToolStatus, text: string, evicted?: Evicted): this {
    const content: ContentPart[] = [{ type: "text", text }];
    const { name } = this.#toolPart(call);
    this.#change(call, { result: { status, content } });
    const result = { call, name, status, content, ...(evicted ? { evicted } : {}) };
    this.#session.fact({ type: "tool-result", turn: this.id, ...result, at: 1 });
    return this;
  }

  #change(call: string, change: Partial<HistoryToolPart>): void {
    this.#parts[this.#indexOf(call)] = { ...this.#toolPart(call), ...change };
  }

  #toolPart(call: string): HistoryToolPart {
    const part = this.#parts[this.#indexOf(call)];
    if (part?.type !== "tool") throw new Error("No such call.");
    return part;
  }

  #indexOf(call: string): number {
    return this.#parts.findIndex((part) => part.type === "tool" && part.call === call);
  }

  #speak(type: "text" | "reasoning", text: string): this {
    if (this.#open !== type) {
      this.#close();
      this.#open = type;
      this.#parts.push({ type, text: "" });
      this.#session.said({ type: `${type}-start` }, 1);
    }
    const part = this.#parts.at(-1);
    if (part?.type === type) this.#parts[this.#parts.length - 1] = { type, text: part.text + text };
    this.#session.said({ type, text }, text.length);
    return this;
  }

  #close(): void {
    if (this.#open) this.#session.said({ type: `${this.#open}-end` }, 1);
    this.#open = null;
  }
}
