import { expect } from "vitest";
import { ModelError } from "../../src/shared/errors.ts";
import type { FinishReason, Usage } from "../../src/shared/messages.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";

/** An answer put together from its events. */
export type Answer = {
  readonly text: string;
  readonly reasoning: string;
  readonly signatures: readonly string[];
  readonly calls: readonly { readonly name: string; readonly input: string }[];
  readonly reason: FinishReason;
  readonly usage: Usage;
};

export type Heard = {
  readonly batches: readonly (readonly ModelEvent[])[];
  /** What the iteration threw, if it did. */
  readonly error: unknown;
};

export const neverAborted = (): AbortSignal => new AbortController().signal;

/** Everything a model says to a request, to the end or to its error. */
export async function listen(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal = neverAborted(),
): Promise<Heard> {
  const batches: (readonly ModelEvent[])[] = [];
  try {
    for await (const batch of model.stream(request, signal)) batches.push(batch);
    return { batches, error: undefined };
  } catch (error) {
    return { batches, error };
  }
}

/** The whole answer. Fails the test when the iteration threw or the order of events breaks the contract. */
export async function answerOf(
  model: Model,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  const heard = await listen(model, request, signal);
  if (heard.error !== undefined) throw heard.error;
  return assemble(heard.batches.flat());
}

/** The code of the `ModelError` that a call ends with. Fails the test when it ends otherwise. */
export async function failureOf(model: Model, request: ModelRequest): Promise<ModelError> {
  const { error } = await listen(model, request);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

/** Checks the grammar of an answer while it reads it. */
export function assemble(events: readonly ModelEvent[]): Answer {
  const finish = events.at(-1);
  expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
  if (finish?.type !== "finish") throw new Error("the last event is not finish");
  const calls: { name: string; input: string }[] = [];
  for (const event of events) {
    if (event.type === "tool-call") {
      expect(event.index).toBe(calls.length);
      expect(event.name).not.toBe("");
      calls.push({ name: event.name, input: "" });
    }
    if (event.type === "tool-input") {
      const call = calls[event.index];
      if (!call) throw new Error("input came before its call");
      call.input += event.text;
    }
  }
  expect(finish.reason === "tool-calls" && calls.length === 0).toBe(false);
  return {
    text: said(events, "text"),
    reasoning: said(events, "reasoning"),
    signatures: events.flatMap((event) =>
      event.type === "reasoning-signature" ? [event.signature] : [],
    ),
    calls,
    reason: finish.reason,
    usage: finish.usage,
  };
}

export const said = (events: readonly ModelEvent[], type: "text" | "reasoning"): string =>
  events.map((event) => (event.type === type ? event.text : "")).join("");
