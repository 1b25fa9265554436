import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type { ToolCall } from "../../shared/messages.ts";
import type { Hold } from "../../shared/tasks.ts";
import { openCalls, questionOf } from "../../session/entries.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import { nest, type ToolOutcome } from "../capability.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import { digestOf, judge, type GateContext, type Question, type Verdict } from "./gate.ts";
import { stepsOf, type Limits } from "../limits.ts";
import { storeEffects, type Changed } from "./effects.ts";
import { evict, READER, tooLongFor } from "../eviction/evict.ts";
import type { EvictionConfig } from "../eviction/config.ts";
import {
  bounded,
  confirmedOutcome,
  failed,
  succeeded,
  unknownOutcome,
  type StoredOutcome,
} from "./outcomes.ts";
import { BY_SESSION, decline, expired } from "./questions.ts";
import { OVER, withTimeout } from "./time-limit.ts";
import { authorOf, contextOf } from "./tool-context.ts";

export type ToolCallsContext = GateContext & {
  readonly limits: Limits;
  /** When a result goes to a file; absent: never. */
  readonly eviction?: EvictionConfig;
};

type Running = Extract<Verdict, { kind: "run" }>;

/**
 * Runs the calls of the last step that have no result yet and may run, each committed as its own row when it is done;
 * the others are asked about, and left. Calls whose tools allow it run beside each other, the others one after another
 * in the order of the model. Each is decided on when it is its turn.
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
  try {
    for (const call of openCalls(entries)) {
      let verdict: Verdict;
      for (;;) {
        verdict = verdictOn(context, turn, call, allowed.includes(call.call));
        if (verdict.kind === "undigested") {
          await learnDigest(context, verdict);
        } else if (verdict.kind === "run" && !verdict.tool.parallel && beside.length > 0) {
          await settled(beside);
          beside = [];
        } else break;
      }
      const work = carryOut(context, turn, call, verdict);
      if (verdict.kind === "run" && verdict.tool.parallel) beside.push(work);
      else await work;
    }
  } finally {
    await settled(beside);
  }
}

/** Waits for all before the first failure is thrown, so that none goes on unobserved. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === "rejected") throw result.reason;
  }
}

function verdictOn(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  isAllowed: boolean,
): Verdict {
  if (!isAllowed) {
    const { maxCallsPerStep } = context.limits;
    const text = `Not run: a step may make ${maxCallsPerStep} calls. Make the rest in the next step.`;
    return { kind: "settle", outcome: failed(text) };
  }
  try {
    return judge(context, turn, call);
  } catch (error) {
    return { kind: "settle", outcome: failure(context, turn, call, error) };
  }
}

async function learnDigest(
  { core, digests, permissions, scope }: ToolCallsContext,
  { key, ...asked }: Extract<Verdict, { kind: "undigested" }>,
): Promise<void> {
  digests.set(key, await digestOf(asked, permissions));
  if (scope.signal.aborted || core.isDeleted) throw new LostTurn();
}

/** Does what was decided. Nothing is awaited before a call's intent is stored, or what it comes to instead. */
async function carryOut(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  verdict: Verdict,
): Promise<void> {
  if (verdict.kind === "ask") ask(context, turn, call, verdict.question);
  if (verdict.kind === "settle") storeResult(context, turn, call, verdict.outcome);
  if (verdict.kind === "expired") storeResult(context, turn, call, null);
  if (verdict.kind === "run")
    storeResult(context, turn, call, await outcomeOf(context, turn, verdict));
}

/** Parks the call until someone outside has answered; one that cannot be asked about fails alone. */
function ask(
  context: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  question: Question,
): void {
  const { core, permissions } = context;
  try {
    core.commit("ask", (tx) => {
      if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
      const expiresAt = core.clock.now() + permissions.approvalExpiresMs;
      const head = { kind: "asked", call: call.call, name: call.name } as const;
      tx.append(turn.id, { ...head, ...question, expiresAt });
    });
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    storeResult(context, turn, call, failed(error.message));
  }
}

/** Stores what a call came to, `null` for a question that nobody answered in time; once, whoever else settles it. */
function storeResult(
  { core, scope }: ToolCallsContext,
  turn: RunningTurn,
  { call, name }: ToolCall,
  outcome: StoredOutcome | null,
): void {
  if (scope.signal.aborted) throw new LostTurn();
  core.platform.point("tool:after");
  const holds = outcome?.holds;
  if (holds) return hold(core, turn, { call, name }, holds);
  const { groups, work } = core.commit("result", (tx): Changed => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    const entries = core.entriesOf(turn.id);
    if (!openCalls(entries).some((open) => open.call === call)) return core;
    const question = questionOf(entries, call);
    if (question && !question.answered) {
      decline(tx, question.asked, outcome ? notAskedAnyMore(outcome) : expired);
    } else if (outcome) {
      const { activates = [], plan, todos, ...stored } = bounded(outcome);
      const effects = { activates, ...(plan && { plan }), ...(todos && { todos }) };
      const { changed, added } = storeEffects(core, tx, effects, authorOf(scope));
      const groups = added.length === 0 ? {} : { activates: added };
      tx.append(turn.id, { kind: "result", call, name, ...stored, ...groups });
      return changed;
    }
    return core;
  });
  core.groups = groups;
  core.work = work;
}

/** The call waits for tasks. */
function hold(
  core: SessionCore,
  turn: RunningTurn,
  { call, name }: Pick<ToolCall, "call" | "name">,
  holds: Hold,
): void {
  core.commit("hold", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    const entries = core.entriesOf(turn.id);
    if (!openCalls(entries).some((open) => open.call === call)) return;
    tx.append(turn.id, { kind: "held", call, name, ...holds });
  });
}

/** What was asked has become pointless: the call cannot be run, or may not. */
function notAskedAnyMore({ content }: ToolOutcome) {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  return { answer: "denied", by: BY_SESSION, reason: text.replace(/^Not run: /, "") } as const;
}

async function outcomeOf(
  context: ToolCallsContext,
  turn: RunningTurn,
  verdict: Running,
): Promise<StoredOutcome> {
  try {
    return await shortened(context, turn, verdict.call, await perform(context, turn, verdict));
  } catch (error) {
    return failure(context, turn, verdict.call, error);
  }
}

/** With its text in a file where that is too long for the conversation; as it is where a file takes too long. */
async function shortened(
  context: ToolCallsContext,
  turn: RunningTurn,
  { call, name }: ToolCall,
  outcome: ToolOutcome,
): Promise<StoredOutcome> {
  const { core, scope, prepared } = context;
  const config = tooLongFor(context.eviction, outcome, name);
  if (!config || !prepared.tools.has(READER)) return outcome;
  const { address, workspace } = scope;
  const { log } = core.platform;
  const work = evict(outcome, { config, address, workspace, log, turn: turn.id, call, name });
  const stored = await withTimeout(context, new AbortController(), work);
  return stored === OVER ? outcome : stored;
}

/** What the model is told of an error; one that nobody expects is logged, and shown as an id. */
function failure(
  { core }: ToolCallsContext,
  turn: RunningTurn,
  call: ToolCall,
  error: unknown,
): ToolOutcome {
  if (error instanceof LostTurn) throw error;
  if (error instanceof CarrelError) return failed(error.message);
  const id = core.platform.newId();
  const facts = { id, tool: call.name, turn: turn.id, ...errorFacts(error) };
  core.platform.log("error", "tool_failed", facts);
  return failed(`The tool failed unexpectedly (error ${id}).`);
}

/** Intent before effect, with no await between; a call that was interrupted follows its tool's replay class. */
async function perform(
  context: ToolCallsContext,
  turn: RunningTurn,
  { call, tool, prepared, isBegun, pending }: Running,
): Promise<ToolOutcome> {
  const { core, scope } = context;
  const abort = new AbortController();
  const signal = AbortSignal.any([scope.signal, abort.signal]);
  const toolContext = contextOf(context, turn, call, signal);
  if (isBegun && tool.replay === "unsafe") return unknownOutcome();
  if (isBegun && tool.replay === "checkable") {
    const probe = async () => (await prepared.probe?.(toolContext)) ?? "unknown";
    const probed = await withTimeout(context, abort, probe());
    if (scope.signal.aborted) throw new LostTurn();
    if (probed === "unknown" || probed === OVER) return unknownOutcome();
    if (probed === "done") return confirmedOutcome;
    if (judge(context, turn, call).kind !== "run") return unknownOutcome();
  }
  if (isBegun) {
    // Nothing is written before this run, which is what else finds out that another instance has the turn.
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
  } else if (tool.replay !== "pure" || pending) {
    core.commit(tool.replay === "pure" ? "answer" : "intent", (tx) => {
      if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
      if (pending) approve(tx, pending);
      if (tool.replay === "pure") return;
      tx.append(turn.id, { kind: "intent", call: call.call, name: call.name });
    });
  }
  const run = async (): Promise<ToolOutcome> => {
    // What is around it may have waited for something.
    if (scope.signal.aborted) throw new LostTurn();
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

/** Permissions have changed: what was asked needs no answer any more. */
function approve(tx: Tx, { turn, call, name, digest }: NonNullable<Running["pending"]>): void {
  const answer = { answer: "approved", digest, by: BY_SESSION } as const;
  tx.append(turn, { kind: "answered", call, name, ...answer });
}
