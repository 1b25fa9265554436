import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type { ToolCall } from "../../shared/messages.ts";
import type { Hold } from "../../shared/tasks.ts";
import { openCalls, questionOf } from "../../session/entries.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import type { ToolOutcome } from "../capability.ts";
import { LostTurn, type SessionCore } from "../core.ts";
import { digestOf, judge, type Question, type Verdict } from "./gate.ts";
import { stepsOf } from "../limits.ts";
import { storeEffects, type Changed } from "./effects.ts";
import { evict, READER, tooLongFor } from "../eviction/evict.ts";
import type { EvictionConfig } from "../eviction/config.ts";
import { goOnIn, watch } from "../tasks/background.ts";
import { bounded, failed, type StoredOutcome } from "./outcomes.ts";
import { perform, type PerformContext, type Running } from "./perform.ts";
import { BY_SESSION, decline, expired } from "./questions.ts";
import { OVER, withTimeout } from "./time-limit.ts";
import { authorOf } from "./tool-context.ts";

export type ToolCallsContext = PerformContext & {
  /** When a result goes to a file; absent: never. */
  readonly eviction?: EvictionConfig;
};

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
  if (verdict.kind !== "run") return;
  const outcome = await outcomeOf(context, turn, verdict);
  try {
    storeResult(context, turn, call, outcome);
  } catch (error) {
    // There is no task that it could go on for.
    if (outcome.goesOn) context.core.beside.stopTool(outcome.goesOn.id);
    throw error;
  }
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
  const { holds, goesOn } = outcome ?? {};
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
      if (goesOn) goOnIn(core, tx, goesOn);
      return changed;
    }
    return core;
  });
  core.groups = groups;
  core.work = work;
  if (goesOn) watch(core, goesOn);
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
