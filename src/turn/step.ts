import type { Clock } from "../shared/clock.ts";
import { CarrelError, ModelError } from "../shared/errors.ts";
import { noUsage, type FinishReason, type StepPart, type Usage } from "../shared/messages.ts";
import { cutAt } from "../shared/text.ts";
import type { ModelEvent, ModelRequest } from "../model/model.ts";
import { retryDelay, type RetryOptions } from "../model/retry.ts";
import { LiveStep, partsOf } from "../session/live-step.ts";
import type { TapePart } from "../session/tape.ts";
import { toModelMessages } from "../session/transcript.ts";
import { isDriver, setAttempt, type RunningTurn } from "../session/turns.ts";
import { offeredSpecs } from "./calls/groups.ts";
import type { Capability, ModelStream, TurnScope } from "./capability.ts";
import type { Compactor } from "./compaction/compactor.ts";
import { withLead } from "./context/context-messages.ts";
import { LostTurn, type SessionCore, type Tx } from "./core.ts";
import { stepsOf, type Limits } from "./limits.ts";
import { afterText, withInstruction } from "./output/output-format.ts";
import type { PreparedTurn } from "./prepare.ts";
import { settleTurn, writeCheckpoint, type TurnEnd } from "./settle.ts";

/** A step may say so much, in UTF-16 units; beyond, it is cut as if the provider's own limit was reached. */
const MAX_STEP_CHARS = 500_000;
/** Calls of one step, run or not: what is more is no plan but a model that repeats itself. */
const MAX_CALLS = 128;
const CHECKPOINT_MS = 5_000;
const CHECKPOINT_CHARS = 64_000;

export type StepContext = {
  readonly core: SessionCore;
  readonly prepared: PreparedTurn;
  readonly scope: TurnScope;
  readonly capabilities: readonly Capability[];
  readonly retry: RetryOptions;
  readonly limits: Limits;
  readonly hasAfterTurn: boolean;
  readonly compactor: Compactor;
};

type Answer = { readonly finish: FinishReason; readonly usage: Usage };

/**
 * Asks the model once and commits what it said; tries again where that helps. Whether the turn goes on: a step
 * without tool calls ends it, in the same commit, unless it is not the answer that was asked for. A provider's failure
 * ends it as failed, with the partial answer.
 */
export async function runStep(context: StepContext, turn: RunningTurn): Promise<boolean> {
  const { core, scope } = context;
  const step = stepsOf(core.entriesOf(turn.id)).length + 1;
  let current = turn;
  let wasTooLong = false;
  for (let attempt = 1; ; attempt++) {
    if (current.attempt <= core.journal.last) current = newAttempt(core, current);
    const live = new LiveStep({
      seq: current.attempt,
      turn: turn.id,
      step,
      model: context.prepared.model.id,
    });
    core.live = live;
    core.bell.ring();
    try {
      const answer = await stream(context, live);
      return commitStep(context, current, live, answer);
    } catch (error) {
      if (scope.signal.aborted || error instanceof LostTurn) throw new LostTurn();
      if (!(error instanceof CarrelError)) throw error;
      if (error.code === "context_overflow" && !wasTooLong) {
        wasTooLong = true;
        const given = supersede(core, current);
        if (await context.compactor.recover(context, given)) {
          current = runningAgain(core, turn.id);
          continue;
        }
        current = runningAgain(core, turn.id);
      }
      const delay = error instanceof ModelError ? retryDelay(error, attempt, context.retry) : null;
      if (delay === null) {
        fail(context, current, error);
        return false;
      }
      if (live.parts.length > 0) current = supersede(core, current);
      await core.clock.sleep(delay, scope.signal);
      if (scope.signal.aborted) throw new LostTurn();
    }
  }
}

/** A new attempt's seq, stored before its first byte is shown. */
function newAttempt(core: SessionCore, turn: RunningTurn): RunningTurn {
  const next = core.commit("attempt", (tx) => takeAttempt(core, turn, tx.reserve()));
  core.replaceOpen(next);
  return next;
}

/** Gives up what an attempt has shown: readers are told to forget it. */
function supersede(core: SessionCore, turn: RunningTurn): RunningTurn {
  const next = core.commit("retry", (tx) => {
    tx.append(turn.id, { kind: "reset", attempt: turn.attempt, reason: "retry" });
    core.sql.run("DELETE FROM live WHERE turn = ?", turn.id);
    return takeAttempt(core, turn, tx.reserve());
  });
  core.live = null;
  core.replaceOpen(next);
  return next;
}

/** The turn as it is after something was awaited. */
function runningAgain(core: SessionCore, id: string): RunningTurn {
  const { running } = core;
  if (running?.id !== id) throw new LostTurn();
  return running;
}

function takeAttempt(core: SessionCore, turn: RunningTurn, attempt: number): RunningTurn {
  if (!setAttempt(core.sql, turn.id, core.epoch, attempt)) throw new LostTurn();
  return { ...turn, attempt };
}

async function stream(context: StepContext, live: LiveStep): Promise<Answer> {
  const { core, scope, prepared } = context;
  const { point } = core.platform;
  const { document, view, keptText } = core.context;
  const request: ModelRequest = {
    system: prepared.system,
    messages: withLead(
      document,
      toModelMessages(prepared.format ? withInstruction(view, live.turn) : view),
      keptText,
    ),
    tools: offeredSpecs(prepared, core.groups),
  };
  const calls = new Map<number, TapePart>();
  let answer: Answer | null = null;
  let savedAt = core.clock.now();
  let savedSize = 0;
  const progress = new Progress(core.clock, context.limits.noProgressMs);
  point("model:before");
  for await (const batch of callModel(context, request)) {
    if (scope.signal.aborted) throw new LostTurn();
    for (const event of batch) answer = take(live, calls, event) ?? answer;
    if (batch.length > 0) core.bell.ring();
    progress.check(live.size);
    point("model:batch");
    if (live.size >= MAX_STEP_CHARS) return { finish: "length", usage: answer?.usage ?? noUsage };
    if (
      live.size - savedSize >= CHECKPOINT_CHARS ||
      (live.size > savedSize && core.clock.now() - savedAt >= CHECKPOINT_MS)
    ) {
      core.commit("live", () => {
        if (!isDriver(core.sql, live.turn, core.epoch)) throw new LostTurn();
        writeCheckpoint(core, live);
      });
      savedAt = core.clock.now();
      savedSize = live.size;
    }
  }
  point("model:after");
  if (!answer) throw new ModelError("unavailable", "The model ended its answer without saying so.");
  if (live.parts.length === 0 && answer.finish !== "refused")
    throw new ModelError("malformed", "The model answered with nothing.");
  return answer;
}

/** Tells a model that is busy from one that only keeps the line open (promise T10). */
class Progress {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #size = 0;
  #grewAt: number;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#grewAt = clock.now();
  }

  /** Throws when `size` has not grown for too long. */
  check(size: number): void {
    const now = this.#clock.now();
    if (size > this.#size) {
      this.#size = size;
      this.#grewAt = now;
    } else if (now - this.#grewAt > this.#limitMs) {
      const seconds = Math.round(this.#limitMs / 1_000);
      throw new CarrelError("no_progress", `The model said nothing new for ${seconds} seconds.`);
    }
  }
}

function callModel(context: StepContext, request: ModelRequest): ModelStream {
  const { scope, capabilities, prepared } = context;
  let next = (asked: ModelRequest): ModelStream => prepared.model.stream(asked, scope.signal);
  for (const capability of capabilities.toReversed()) {
    if (!capability.wrapModelCall) continue;
    const inner = next;
    next = (asked) => capability.wrapModelCall?.(scope, asked, inner) ?? inner(asked);
  }
  return next(request);
}

/** Adds what the model said to the live step; its answer when it is whole. */
function take(live: LiveStep, calls: Map<number, TapePart>, event: ModelEvent): Answer | null {
  switch (event.type) {
    case "text":
    case "reasoning":
      live.say(event.type, cutAt(event.text, MAX_STEP_CHARS - live.size));
      return null;
    case "reasoning-signature":
      live.sign(event.signature);
      return null;
    case "tool-call":
      if (live.calls >= MAX_CALLS) {
        const message = `The model made more than ${MAX_CALLS} calls in one step.`;
        throw new CarrelError("too_large", message);
      }
      calls.set(event.index, live.call(event.name));
      return null;
    case "tool-input": {
      const part = calls.get(event.index);
      if (!part)
        throw new ModelError(
          "malformed",
          "The model sent arguments for a call that it did not begin.",
        );
      live.input(part, cutAt(event.text, MAX_STEP_CHARS - live.size));
      return null;
    }
    case "finish":
      return { finish: event.reason, usage: event.usage };
  }
}

function commitStep(
  context: StepContext,
  turn: RunningTurn,
  live: LiveStep,
  answer: Answer,
): boolean {
  const { core } = context;
  live.close();
  const parts = partsOf(live);
  const next = afterStep(context, turn, parts, answer.finish);
  const fact = { kind: "step", step: live.step, model: live.model, parts, ...answer } as const;
  const append = (tx: Tx) => {
    if (live.isSaved) core.sql.run("DELETE FROM live WHERE turn = ?", turn.id);
    return tx.append(turn.id, fact, live.seq);
  };
  if (next && "outcome" in next) {
    settleTurn(core, turn, next, {
      commit: "step",
      epoch: core.epoch,
      hasAfterTurn: context.hasAfterTurn,
      more: (tx) => [append(tx)],
    });
    return false;
  }
  core.commit(next ? "repair" : "step", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    append(tx);
    if (next) tx.append(turn.id, { kind: "repair", text: next.repair });
  });
  core.live = null;
  return true;
}

/** What comes after a step: the turn's end, what the model is told about its answer, or (`null`) its calls. */
function afterStep(
  { core, prepared }: StepContext,
  turn: RunningTurn,
  parts: readonly StepPart[],
  finish: FinishReason,
): TurnEnd | { readonly repair: string } | null {
  if (finish === "refused") {
    const message = "The model declined to answer this.";
    return { outcome: "failed", error: { code: "model_refused", message } };
  }
  if (parts.some((part) => part.type === "tool-call")) return null;
  if (!prepared.format) return { outcome: "completed" };
  return afterText(prepared.format, parts, core.entriesOf(turn.id));
}

function fail(context: StepContext, turn: RunningTurn, error: CarrelError): void {
  settleTurn(
    context.core,
    turn,
    { outcome: "failed", error: { code: error.code, message: error.message } },
    {
      commit: "end",
      epoch: context.core.epoch,
      hasAfterTurn: context.hasAfterTurn,
    },
  );
}
