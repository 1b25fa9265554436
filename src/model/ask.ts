import { ModelError } from "../shared/errors.ts";
import { noUsage, type FinishReason, type Usage } from "../shared/messages.ts";
import type { Model } from "./model.ts";

export type Question = {
  readonly system: string;
  readonly text: string;
  readonly maxOutputTokens?: number;
};

/** What a model said in words. `finish` is `length` too where it said more than was asked for. */
export type Said = { readonly text: string; readonly finish: FinishReason; readonly usage: Usage };

/**
 * Asks a model one thing in one request, without tools, and gives what it said; of an answer that is longer than `maxChars`
 * UTF-16 units nothing more is read. Throws what the model throws, `ModelError('unavailable')` for an answer without an
 * end, and the signal's reason when that aborts. Nothing is tried again.
 */
export async function askOnce(
  model: Model,
  { system, text: asked, ...bounds }: Question,
  maxChars: number,
  signal: AbortSignal,
): Promise<Said> {
  const messages = [{ role: "user", content: [{ type: "text", text: asked }] }] as const;
  let text = "";
  for await (const events of model.stream({ system, messages, tools: [], ...bounds }, signal)) {
    signal.throwIfAborted();
    for (const event of events) {
      if (event.type === "text") text += event.text;
      if (event.type !== "finish") continue;
      const finish = text.length > maxChars ? "length" : event.reason;
      return { text, finish, usage: event.usage };
    }
    if (text.length > maxChars) return { text, finish: "length", usage: noUsage };
  }
  signal.throwIfAborted();
  throw new ModelError("unavailable", "The model ended its answer without saying so.");
}
