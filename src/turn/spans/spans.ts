import { CarrelError } from "../../shared/errors.ts";
import { sessionKey } from "../../shared/ids.ts";
import type { Log } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import type { TurnScope } from "../capability.ts";
import { LostTurn } from "../core.ts";

export type Attributes = Readonly<Record<string, unknown>>;

/** Something that goes on. Ids are those of W3C trace context, in hex. */
export type Span = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** `null` for a turn: what is done for one turn, also after an interruption, shares its trace and nothing more. */
  readonly parentSpanId: string | null;
  readonly start: number;
  readonly attributes: Attributes;
};

export type Ending = {
  readonly status: "ok" | "error" | "cancelled";
  readonly attributes: Attributes;
};

/** How work ended; `give` then returns or throws as it did. */
export type Ended<Value> = Ending & { readonly value?: Value; readonly give: () => Value };

/** The spans that others are in, and ids for these. */
type Open = { readonly turn: Span; step: Span | null; readonly newId: () => string };

/** The spans of all turns that run, each written to the log when it ends. */
export class Spans {
  readonly #log: Log;
  readonly #open = new WeakMap<TurnScope, Open>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** The trace is a digest of session and turn, so that it is the same however often the turn is taken up. */
  async beginTurn(scope: TurnScope, name: string, attributes: Attributes): Promise<Span> {
    const turn = `${sessionKey(scope.address)}${scope.turn}`;
    const traceId = (await sha256Hex(new TextEncoder().encode(turn))).slice(0, 32);
    const newId = createSpanIds();
    const start = scope.now();
    const span = { name, traceId, spanId: newId(), parentSpanId: null, start, attributes };
    this.#open.set(scope, { turn: span, step: null, newId });
    return span;
  }

  beginStep(scope: TurnScope, name: string, attributes: Attributes): Span {
    const open = this.#openOf(scope);
    open.step = this.#begin(scope, open.turn, name, attributes);
    return open.step;
  }

  /** What goes on in the step, or between two. */
  begin(scope: TurnScope, name: string, attributes: Attributes): Span {
    const { step, turn } = this.#openOf(scope);
    return this.#begin(scope, step ?? turn, name, attributes);
  }

  end(scope: TurnScope, span: Span, { status, attributes }: Ending): void {
    const open = this.#openOf(scope);
    if (open.step === span) open.step = null;
    const { attributes: first, ...rest } = span;
    const durationMs = scope.now() - span.start;
    this.#log("info", "span", { ...rest, durationMs, status, ...first, ...attributes });
  }

  #begin(scope: TurnScope, parent: Span, name: string, attributes: Attributes): Span {
    const { traceId, spanId: parentSpanId } = parent;
    const spanId = this.#openOf(scope).newId();
    return { name, traceId, spanId, parentSpanId, start: scope.now(), attributes };
  }

  #openOf(scope: TurnScope): Open {
    const open = this.#open.get(scope);
    if (!open) throw new Error("a span begins outside of its turn");
    return open;
  }
}

/** Ids of one drive of a turn: drawn once and counted on, since drawing each costs more than all else of a span. */
function createSpanIds(): () => string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  let count = low;
  return () => {
    count = (count + 1) >>> 0;
    return hex(high | 1) + hex(count);
  };
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");

/** Waits for `work`, whatever comes of it. What it settles the turn with counts as its own failure. */
export async function endingOf<Value>(
  scope: TurnScope,
  work: () => Promise<Value>,
): Promise<Ended<Value>> {
  try {
    const value = await work();
    const error = scope.end()?.error;
    const attributes = error ? { "error.type": error.code } : {};
    return { status: error ? "error" : "ok", attributes, value, give: () => value };
  } catch (error) {
    const give = () => {
      throw error;
    };
    return { ...failureOf(scope, error), give };
  }
}

/** A turn that was stopped, or is another instance's, was not failed by what it was doing. */
export function failureOf(scope: TurnScope, error: unknown): Ending {
  if (scope.signal.aborted || error instanceof LostTurn)
    return { status: "cancelled", attributes: {} };
  const code = error instanceof CarrelError ? error.code : "internal";
  return { status: "error", attributes: { "error.type": code } };
}

/** The same ending, with more to say. */
export const withAttributes = ({ status, attributes }: Ending, more: Attributes): Ending => ({
  status,
  attributes: { ...attributes, ...more },
});
