import type {
  IdentifiedEvent,
  SessionEvent,
  SessionStatus,
  TurnOutcome,
  TurnState,
} from "../../src/shared/events.ts";
import { compareCursors, parseCursor, START } from "../../src/shared/events.ts";
import type { ContentPart } from "../../src/shared/messages.ts";
import { noUsage } from "../../src/shared/messages.ts";
import type { HistoryMessage, HistoryPage, HistoryPart } from "../../src/shared/session-api.ts";

/** A session whose every event a test says itself. Ids count like the real ones. */
export class FakeSession {
  readonly id: string;
  readonly turns: FakeTurn[] = [];
  readonly #log: IdentifiedEvent[] = [];
  readonly #readers = new Set<(event: IdentifiedEvent) => void>();
  #seq = 0;
  #offset = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** A fact or the start of an attempt: the next number, offset 0. */
  fact(event: SessionEvent): string {
    this.#seq++;
    this.#offset = 0;
    return this.#add(event);
  }

  /** Something said inside the newest attempt. */
  said(event: SessionEvent, units: number): string {
    this.#offset += units;
    return this.#add(event);
  }

  #add(event: SessionEvent): string {
    const id = `${this.#seq}.${this.#offset}`;
    this.#log.push({ id, event });
    for (const reader of this.#readers) reader({ id, event });
    return id;
  }

  /** Calls `reader` with everything after the cursor, then with what comes; gives a way to end that. */
  read(after: string, reader: (event: IdentifiedEvent) => void): () => void {
    const from = parseCursor(after) ?? START;
    for (const entry of this.#log)
      if (compareCursors(parseCursor(entry.id) ?? START, from) > 0) reader(entry);
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  get status(): SessionStatus {
    const turns = this.turns
      .filter((turn) => !turn.hasEnded)
      .map(({ id, state, begins }) => ({ turn: id, state, start: begins }));
    return {
      type: "status",
      pending: [],
      mode: "DEFAULT" as const,
      turns,
      last: this.#log.at(-1)?.id ?? "0.0",
    };
  }

  /** Pages count turns, two messages each. */
  history(before: number | null, limit: number): HistoryPage {
    const shown = this.turns.filter((turn) => !turn.isReplaced && turn.state !== "queued");
    const end = before ?? shown.length;
    const start = Math.max(0, end - Math.floor(limit / 2));
    const messages = shown.slice(start, end).flatMap((turn) => turn.messages());
    return {
      session: this.id,
      title: "",
      status: this.status,
      messages,
      before: start > 0 ? start : null,
    };
  }
}

/** One turn, played by a test: `start`, then `step`, `text`, `call`…, then `end`. */
export class FakeTurn {
  readonly id: string;
  readonly content: readonly ContentPart[];
  state: TurnState = "queued";
  isReplaced = false;
  /** Cursor just before its first event. */
  begins: string | null = null;
  readonly #session: FakeSession;
  readonly #regenerates: FakeTurn | null;
  #parts: HistoryPart[] = [];
  #kept = 0;
  #attempt = "";
  #open: "text" | "reasoning" | null = null;
  #error: { code: string; message: string } | undefined;
  #calls = 0;

  constructor(
    session: FakeSession,
    id: string,
    content: readonly ContentPart[],
    regenerates: FakeTurn | null,
  ) {
    this.#session = session;
    this.id = id;
    this.content = content;
    this.#regenerates = regenerates;
    session.turns.push(this);
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
    const call = `call_${this.#calls++}`;
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
    const index = this.#parts.findLastIndex((part) => part.type === "tool");
    const part = this.#parts[index];
    if (part?.type !== "tool") throw new Error("No call to answer.");
    const content: ContentPart[] = [{ type: "text", text }];
    const { call, name } = part;
    this.#parts[index] = { ...part, result: { status, content } };
    this.#session.fact({ type: "tool-result", turn: this.id, call, name, status, content, at: 1 });
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
