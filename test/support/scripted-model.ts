import type { ModelMessage } from "../../src/shared/messages.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import type { ModelErrorCode } from "../../src/shared/errors.ts";
import { ModelError } from "../../src/shared/errors.ts";
import { withoutReminders } from "../../src/shared/reminder.ts";
import { flushPrompt, NO_REPLY } from "../../src/memory/flush/prompt.ts";
import { SUMMARY_SYSTEM } from "../../src/turn/compaction/summary-prompt.ts";

/** One model call of a script. `fail` after `text` breaks off in mid-stream. */
export type ScriptedStep = {
  readonly text?: string;
  /** How often `text` is said; once by default. */
  readonly repeat?: number;
  readonly reasoning?: string;
  /** Text goes out in so many batches; default 4. */
  readonly batches?: number;
  readonly calls?: readonly { readonly name: string; readonly input: string }[];
  readonly fail?: ModelErrorCode;
  /** `fail` holds for so many calls only; default: for ever. */
  readonly failTimes?: number;
  /** Never sends another batch; ends when aborted. */
  readonly hang?: boolean;
};

/** What happened outside the session: it survives the session's crashes. */
export type Witness = {
  /** Every request that reached the model, in order. */
  readonly requests: ModelRequest[];
  /** Those that asked for a summary, which it always writes. */
  readonly summaries: ModelRequest[];
  /** Times that each scripted failure was given, by turn text and step. */
  readonly failures: Map<string, number>;
  /** Requests whose signal aborted while they were answered. */
  aborted: number;
};

export const createWitness = (): Witness => ({
  requests: [],
  summaries: [],
  failures: new Map(),
  aborted: 0,
});

/** What it writes as a summary of anything. */
export const SCRIPTED_SUMMARY = "## SESSION INTENT\nTo test.";

/** Whether a request asks for a summary of a conversation. */
export const asksForSummary = ({ system }: ModelRequest): boolean => system === SUMMARY_SYSTEM;

/**
 * A model that does what the newest user message says: its text is a JSON list of `ScriptedStep`s, one for each
 * model call of the turn. It finds nothing to remember. Decides from the request alone, so a recovered turn gets the same answers.
 */
export function createScriptedModel(
  witness: Witness,
  pause: () => Promise<void> = () => Promise.resolve(),
): Model {
  return {
    id: "scripted",
    async *stream(request, signal) {
      // What leaves an object waits until everything stored before is safe; with a `pause` that waits, so does this.
      await pause();
      signal.throwIfAborted();
      if (asksForSummary(request)) {
        witness.summaries.push(request);
        return yield* answer({ text: SCRIPTED_SUMMARY }, { signal, pause, mayFail: () => false });
      }
      if (request.system === flushPrompt)
        return yield* answer({ text: NO_REPLY }, { signal, pause, mayFail: () => false });
      witness.requests.push(request);
      const { script, step, source } = readScript(request);
      try {
        yield* answer(step < script.length ? script[step] : { text: "The script is over." }, {
          signal,
          pause,
          mayFail: (times) => {
            const key = `${source}#${step}`;
            const count = witness.failures.get(key) ?? 0;
            witness.failures.set(key, count + 1);
            return count < times;
          },
        });
      } finally {
        if (signal.aborted) witness.aborted += 1;
      }
    },
  };
}

/** The text that makes the scripted model do this. */
export const script = (...steps: readonly ScriptedStep[]): string => JSON.stringify(steps);

function readScript(asked: ModelRequest): {
  script: readonly ScriptedStep[];
  step: number;
  source: string;
} {
  const messages = withoutReminders(asked.messages);
  const sources = messages.map((message) => (message.role === "user" ? saidIn(message) : ""));
  const at = sources.findLastIndex((text) => text !== "");
  const source = sources[at] ?? "";
  const step = messages.slice(at).filter((candidate) => candidate.role === "assistant").length;
  try {
    return { script: JSON.parse(source) as ScriptedStep[], step, source };
  } catch {
    return { script: [{ text: `You said: ${source}` }], step, source };
  }
}

/** What somebody has said in it, without what was put beside that. */
const saidIn = ({ content }: Extract<ModelMessage, { role: "user" }>): string =>
  content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .findLast((text) => !/^(<(attached_file|output_format)\b|.*<task_results?\b)/s.test(text)) ??
  "";

type Running = {
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  readonly mayFail: (times: number) => boolean;
};

async function* answer(
  step: ScriptedStep = {},
  running: Running,
): AsyncGenerator<readonly ModelEvent[]> {
  const { signal, pause } = running;
  const isFailing =
    step.fail !== undefined && running.mayFail(step.failTimes ?? Number.POSITIVE_INFINITY);
  if (step.reasoning !== undefined) {
    yield [{ type: "reasoning", text: step.reasoning }];
  }
  for (const text of pieces((step.text ?? "").repeat(step.repeat ?? 1), step.batches ?? 4)) {
    await pause();
    signal.throwIfAborted();
    yield [{ type: "text", text }];
  }
  if (step.hang === true) {
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    throw signal.reason;
  }
  if (isFailing && step.fail !== undefined)
    throw new ModelError(step.fail, `The script says ${step.fail}.`);
  for (const [index, call] of (step.calls ?? []).entries()) {
    await pause();
    signal.throwIfAborted();
    yield [
      { type: "tool-call", index, name: call.name },
      { type: "tool-input", index, text: call.input },
    ];
  }
  await pause();
  signal.throwIfAborted();
  const reason = (step.calls ?? []).length > 0 ? "tool-calls" : "stop";
  yield [{ type: "finish", reason, usage: { input: 10, output: 5, cached: 0 } }];
}

function pieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}
