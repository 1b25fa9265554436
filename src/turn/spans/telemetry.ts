import type { Log } from "../../shared/log.ts";
import type { FinishReason, ToolCall, Usage } from "../../shared/messages.ts";
import type { ModelEvent, ModelRequest } from "../../model/model.ts";
import type { Capability, ModelStream, ToolOutcome, TurnScope } from "../capability.ts";
import {
  endingOf,
  failureOf,
  Spans,
  withAttributes,
  type Attributes,
  type Ending,
} from "./spans.ts";
import { inputPayload, outputPayload, textPayload } from "./telemetry-payloads.ts";

export type TelemetrySwitches = {
  /** A line in the log for each turn, step, model call and tool call; true. */
  readonly spans: boolean;
  /** What was said, with arguments and results, in these lines; false. */
  readonly payloads: boolean;
};

export type TelemetryOptions = {
  /** What the agent is called. */
  readonly agent: string;
  /** The model's id, for example `openai:gpt-5.1`. */
  readonly model: string;
  readonly payloads: boolean;
};

type Observed = {
  readonly spans: Spans;
  readonly agent: string;
  readonly model: ReturnType<typeof modelAttributes>;
  readonly payloads: boolean;
};

/**
 * Writes what turns do as spans: one line in the log when a turn, step, model call or tool call ends, with the attribute
 * names of OpenTelemetry's GenAI conventions. First among an agent's capabilities, so that a span lasts as long as what
 * all others make of it. Lines hold ids, names, codes and counts: no user, no file, and nothing that was said, unless
 * `payloads` asks for that. Format: `docs/capabilities.md`.
 */
export function createTelemetry(log: Log, options: TelemetryOptions): Capability {
  const { agent, payloads } = options;
  const model = modelAttributes(options.model);
  const observed = { spans: new Spans(log), agent, model, payloads };
  return {
    name: "telemetry",
    wrapTurn: (scope, next) => aroundTurn(observed, scope, next),
    wrapStep: (scope, step, next) => aroundStep(observed, scope, step, next),
    wrapModelCall: (scope, request, next) => aroundModelCall(observed, scope, request, next),
    wrapToolCall: (scope, call, next) => aroundToolCall(observed, scope, call, next),
  };
}

async function aroundTurn(
  { spans, agent, model }: Observed,
  scope: TurnScope,
  next: () => Promise<void>,
): Promise<void> {
  const span = await spans.beginTurn(scope, `invoke_agent ${agent}`, {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": scope.address.agent,
    "gen_ai.agent.name": agent,
    "gen_ai.conversation.id": scope.address.session,
    "carrel.turn.id": scope.turn,
    ...model,
  });
  const ended = await endingOf(scope, next);
  spans.end(scope, span, withAttributes(ended, turnAttributes(scope)));
  ended.give();
}

async function aroundStep(
  { spans }: Observed,
  scope: TurnScope,
  step: number,
  next: () => Promise<void>,
): Promise<void> {
  const span = spans.beginStep(scope, `step ${step}`, { "carrel.step": step });
  const ended = await endingOf(scope, next);
  spans.end(scope, span, ended);
  ended.give();
}

async function* aroundModelCall(
  { spans, model, payloads }: Observed,
  scope: TurnScope,
  request: ModelRequest,
  next: (request: ModelRequest) => ModelStream,
): ModelStream {
  const input = payloads ? inputPayload(request) : {};
  const attributes = { "gen_ai.operation.name": "chat", ...model, ...input };
  const span = spans.begin(scope, `chat ${model["gen_ai.request.model"]}`, attributes);
  const said: ModelEvent[] = [];
  let answer: Attributes = {};
  // Until it is over it may be let go of.
  let ending: Ending = { status: "cancelled", attributes: {} };
  try {
    for await (const batch of next(request)) {
      const last = batch.at(-1);
      if (last?.type === "finish") answer = answerAttributes(last);
      if (payloads) said.push(...batch);
      yield batch;
    }
    ending = { status: "ok", attributes: {} };
  } catch (error) {
    ending = failureOf(scope, error);
    throw error;
  } finally {
    const output = payloads ? outputPayload(said) : {};
    spans.end(scope, span, withAttributes(ending, { ...answer, ...output }));
  }
}

async function aroundToolCall(
  { spans, payloads }: Observed,
  scope: TurnScope,
  call: ToolCall,
  next: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const span = spans.begin(scope, `execute_tool ${call.name}`, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call.id": call.call,
    "gen_ai.tool.type": "function",
    ...(payloads ? { "gen_ai.tool.call.arguments": textPayload(call.input) } : {}),
  });
  const ended = await endingOf(scope, next);
  const { value } = ended;
  const isFailed = value !== undefined && value.status !== "success";
  const failed: Ending = { status: "error", attributes: { "error.type": value?.status } };
  const result = payloads && value ? { "gen_ai.tool.call.result": textPayload(value.content) } : {};
  spans.end(scope, span, withAttributes(isFailed ? failed : ended, result));
  return ended.give();
}

/** `openai:gpt-5.1` is the model `gpt-5.1` of `openai`; an id without a colon is both. */
function modelAttributes(id: string) {
  const [, provider = id, model = id] = /^([^:]+):(.+)$/s.exec(id) ?? [];
  return { "gen_ai.provider.name": provider, "gen_ai.request.model": model };
}

/** How the turn ended, with what all of it cost; that it waits, or nothing, when it did not. */
function turnAttributes(scope: TurnScope): Attributes {
  const end = scope.end();
  if (!end) return scope.signal.aborted ? {} : { "carrel.turn.outcome": "waiting" };
  return {
    "carrel.turn.outcome": end.outcome,
    "carrel.turn.steps": end.steps,
    ...usageAttributes(end.usage),
  };
}

const usageAttributes = (usage: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": usage.input,
  "gen_ai.usage.output_tokens": usage.output,
  "gen_ai.usage.cache_read.input_tokens": usage.cached,
});

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refused: "content_filter",
  other: "other",
};

const answerAttributes = (event: Extract<ModelEvent, { type: "finish" }>): Attributes => ({
  "gen_ai.response.finish_reasons": [reasons[event.reason]],
  ...usageAttributes(event.usage),
});
