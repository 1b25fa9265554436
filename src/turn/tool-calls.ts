import { CarrelError, invalid } from "../shared/errors.ts";
import { errorFacts } from "../shared/log.ts";
import type { ContentPart, ToolCall } from "../shared/messages.ts";
import { sessionKey } from "../shared/ids.ts";
import { openCalls } from "../session/entries.ts";
import { lastSeen } from "../session/transcript.ts";
import { isDriver, type RunningTurn } from "../session/turns.ts";
import type { PreparedCall, ServerTool, Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import { truncate } from "../tools/truncate.ts";
import { nest, type Capability, type ToolOutcome, type TurnScope } from "./capability.ts";
import { LostTurn, type SessionCore } from "./core.ts";
import { stepsOf, type Limits } from "./limits.ts";
import type { PreparedTurn } from "./prepare.ts";

export type ToolCallsContext = {
  readonly core: SessionCore;
  readonly prepared: PreparedTurn;
  readonly scope: TurnScope;
  readonly capabilities: readonly Capability[];
  readonly limits: Limits;
};

/** Text of one result at most; beyond, it is cut and says so. */
const MAX_RESULT_CHARS = 100_000;
/** Images in one result at most, as base64: 1 MiB of bytes. */
const MAX_IMAGE_CHARS = 1_400_000;

/**
 * Runs the calls of the last step that have no result yet, each committed as its own row when it is done. Calls
 * whose tools allow it run beside each other, the others one after another in the order of the model.
 */
export async function runToolCalls(context: ToolCallsContext, turn: RunningTurn): Promise<void> {
  const entries = context.core.entriesOf(turn.id);
  // Counted from the step's first call, also when the turn is taken up in the middle of them.
  const made =
    stepsOf(entries)
      .at(-1)
      ?.parts.filter((part) => part.type === "tool-call") ?? [];
  const allowed = made.slice(0, context.limits.maxCallsPerStep).map(({ call }) => call);
  let beside: Promise<void>[] = [];
  for (const call of openCalls(entries)) {
    const tool = context.prepared.tools.get(call.name);
    const work = () => runOne(context, turn, call, allowed.includes(call.call) ? tool : "too many");
    if (tool && tool.runsOn !== "client" && tool.parallel) {
      beside.push(work());
      continue;
    }
    await settled(beside);
    beside = [];
    await work();
  }
  await settled(beside);
}

/** Waits for all before the first failure is thrown, so that none goes on unobserved. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === "rejected") throw result.reason;
  }
}

async function runOne(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  tool: Tool | "too many" | undefined,
): Promise<void> {
  const { core, scope } = context;
  const outcome = await outcomeOf(context, turn, call, tool);
  if (scope.signal.aborted) throw new LostTurn();
  core.platform.point("tool:after");
  core.commit("result", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    tx.append(turn.id, { kind: "result", call: call.call, name: call.name, ...bounded(outcome) });
  });
}

async function outcomeOf(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  tool: Tool | "too many" | undefined,
): Promise<ToolOutcome> {
  if (tool === "too many") {
    return failed(
      `Not run: a step may make ${context.limits.maxCallsPerStep} calls. Make the rest in the next step.`,
    );
  }
  if (!tool) {
    const names = [...context.prepared.tools.keys()].join(", ");
    return failed(
      `There is no tool named "${call.name}". The tools are: ${names === "" ? "none" : names}.`,
    );
  }
  if (tool.runsOn === "client") return failed("This tool cannot be run here.");
  try {
    const prepared = tool.prepare(parseInput(call.input));
    return await perform(context, turn, call, tool, prepared);
  } catch (error) {
    if (error instanceof LostTurn) throw error;
    if (error instanceof CarrelError) return failed(error.message);
    const id = context.core.platform.newId();
    context.core.platform.log("error", "tool_failed", {
      id,
      tool: call.name,
      turn: turn.id,
      ...errorFacts(error),
    });
    return failed(`The tool failed unexpectedly (error ${id}).`);
  }
}

/** Intent before effect, with no await between; a call that was interrupted follows its tool's replay class. */
async function perform(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  tool: ServerTool,
  prepared: PreparedCall,
): Promise<ToolOutcome> {
  const { core, scope } = context;
  const abort = new AbortController();
  const signal = AbortSignal.any([scope.signal, abort.signal]);
  const toolContext: ToolContext = {
    key: `${turn.id}/${call.call}`,
    op: `${sessionKey(scope.address)}${turn.id}/${call.call}`,
    author: `agent:${scope.address.agent}/${scope.address.session}`,
    signal,
    now: () => core.clock.now(),
    workspace: scope.workspace,
    seen: (path) => lastSeen(core.window, path),
  };
  const wasBegun = core
    .entriesOf(turn.id)
    .some((entry) => entry.kind === "intent" && entry.call === call.call);
  if (wasBegun && tool.replay === "unsafe") return unknownOutcome();
  if (wasBegun && tool.replay === "checkable") {
    const probe = async () => (await prepared.probe?.(toolContext)) ?? "unknown";
    const probed = await withTimeout(context, abort, probe());
    if (scope.signal.aborted) throw new LostTurn();
    if (probed === "unknown" || probed === OVER) return unknownOutcome();
    if (probed === "done") return confirmedOutcome;
  }
  if (wasBegun) {
    // Nothing is written before this run, which is what else finds out that another instance has the turn.
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
  } else if (tool.replay !== "pure") {
    core.commit("intent", (tx) => {
      if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
      tx.append(turn.id, { kind: "intent", call: call.call, name: call.name });
    });
  }
  const run = async (): Promise<ToolOutcome> => {
    core.platform.point("tool:before");
    return succeeded(await prepared.run(toolContext));
  };
  const wrappers = context.capabilities.flatMap((capability) =>
    capability.wrapToolCall ? [capability.wrapToolCall.bind(capability)] : [],
  );
  const outcome = await withTimeout(context, abort, nest(wrappers, [scope, call], run));
  if (outcome !== OVER) return outcome;
  const seconds = Math.round(context.limits.toolTimeoutMs / 1_000);
  if (tool.replay === "pure") return failed(`The tool did not finish within ${seconds} seconds.`);
  return unknownOutcome(`The tool did not finish within ${seconds} seconds. `);
}

const OVER = Symbol("the time is over");

/** What `work` gives, or `OVER` once it took too long: then its signal aborts, and nobody waits for it. */
async function withTimeout<Result>(
  context: ToolCallsContext,
  abort: AbortController,
  work: Promise<Result>,
): Promise<Result | typeof OVER> {
  const { core, scope, limits } = context;
  const done = new AbortController();
  const over = core.clock
    .sleep(limits.toolTimeoutMs, AbortSignal.any([done.signal, scope.signal]))
    .then((): typeof OVER => OVER);
  try {
    const first = await Promise.race([work, over]);
    if (first !== OVER) return first;
    abort.abort();
    if (scope.signal.aborted) throw new LostTurn();
    return OVER;
  } finally {
    done.abort();
    work.catch(() => {});
  }
}

function parseInput(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input);
  } catch {
    throw invalid(
      "The arguments are not valid JSON. Send one JSON object that matches the schema of the tool.",
    );
  }
}

function succeeded(output: ToolOutput): ToolOutcome {
  if (typeof output === "string")
    return { status: "success", content: [{ type: "text", text: output }] };
  return { status: "success", ...("content" in output ? output : { content: output }) };
}

const failed = (text: string): ToolOutcome => ({
  status: "error",
  content: [{ type: "text", text }],
});

const confirmedOutcome: ToolOutcome = {
  status: "success",
  content: [{ type: "text", text: "Done (confirmed after an interruption)." }],
};

const unknownOutcome = (because = "The call was interrupted. "): ToolOutcome => ({
  status: "unknown",
  content: [
    {
      type: "text",
      text: `${because}Whether it had its effect is unknown; it was not run again. Check before repeating it.`,
    },
  ],
});

/** The outcome cut to what a row holds. A text that was cut shows no file whole. */
function bounded(outcome: ToolOutcome): ToolOutcome {
  let chars = 0;
  let images = 0;
  const content = outcome.content.flatMap((part): ContentPart[] => {
    if (part.type === "text") {
      const left = MAX_RESULT_CHARS - chars;
      chars += part.text.length;
      return left > 0 ? [{ type: "text", text: truncate(part.text, left) }] : [];
    }
    images += part.data.length;
    if (images <= MAX_IMAGE_CHARS) return [part];
    const text = `[An image of ${part.mediaType} was left out: the result is too large.]`;
    return [{ type: "text", text }];
  });
  const { status, seen } = outcome;
  return { status, content, ...(seen === undefined || chars > MAX_RESULT_CHARS ? {} : { seen }) };
}
