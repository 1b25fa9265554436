import { taskOf } from "../../shared/tasks.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import { nest, type ToolOutcome } from "../capability.ts";
import { LostTurn, type Tx } from "../core.ts";
import type { Limits } from "../limits.ts";
import { isBuiltIn } from "../../tools/own-tools.ts";
import { goesOnText, mayGoOn, type GoesOn } from "../tasks/background.ts";
import { judge, type GateContext, type Verdict } from "./gate.ts";
import {
  confirmedOutcome,
  failed,
  succeeded,
  unknownOutcome,
  type StoredOutcome,
} from "./outcomes.ts";
import { BY_SESSION } from "./questions.ts";
import { OVER, withTimeout } from "./time-limit.ts";
import { contextOf } from "./tool-context.ts";

export type PerformContext = GateContext & {
  readonly limits: Limits;
  /** A tool goes on in the background once it takes longer (ms); absent: none does. */
  readonly asyncToolTimeoutMs?: number;
};

/** A call that may run. */
export type Running = Extract<Verdict, { kind: "run" }>;

/** Intent before effect, with no await between; a call that was interrupted follows its tool's replay class. */
export async function perform(
  context: PerformContext,
  turn: RunningTurn,
  { call, tool, prepared, isBegun, pending }: Running,
): Promise<StoredOutcome> {
  const { core, scope } = context;
  const abort = new AbortController();
  const stop = () => abort.abort(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  const toolContext = contextOf(context, turn, call, abort.signal);
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
  const work = nest(wrappers, [scope, call], run);
  const { asyncToolTimeoutMs: ms } = context;
  // Its failure is looked at below.
  work.catch(() => {});
  const id = ms === undefined ? "" : await taskOf(toolContext.op);
  const goesOn = { id, name: call.name, work, abort };
  const outcome = await withTimeout(context, abort, soonOrSlow(context, goesOn));
  // It has ended, or is stopped by its task from now on.
  scope.signal.removeEventListener("abort", stop);
  if (outcome === SLOW) return { ...succeeded(goesOnText(goesOn, ms)), goesOn };
  if (outcome !== OVER) return outcome;
  const seconds = Math.round(context.limits.toolTimeoutMs / 1_000);
  if (tool.replay === "pure") return failed(`The tool did not finish within ${seconds} seconds.`);
  return unknownOutcome(`The tool did not finish within ${seconds} seconds. `);
}

const SLOW = Symbol("it goes on in the background");

/** What a tool gives, or `SLOW` once it took so long that it goes on beside the turn. Built-in ones never do. */
async function soonOrSlow(
  { core, asyncToolTimeoutMs }: PerformContext,
  { id, name, work, abort }: GoesOn,
): Promise<ToolOutcome | typeof SLOW> {
  if (asyncToolTimeoutMs === undefined || isBuiltIn(name)) return work;
  const done = new AbortController();
  const slow = core.clock.sleep(asyncToolTimeoutMs, done.signal).then((): typeof SLOW => SLOW);
  const first = await Promise.race([work, slow]).finally(() => done.abort());
  if (first !== SLOW || abort.signal.aborted || !mayGoOn(core)) return work;
  core.beside.tools.set(id, abort);
  return SLOW;
}

/** Permissions have changed: what was asked needs no answer any more. */
function approve(tx: Tx, { turn, call, name, digest }: NonNullable<Running["pending"]>): void {
  const answer = { answer: "approved", digest, by: BY_SESSION } as const;
  tx.append(turn, { kind: "answered", call, name, ...answer });
}
