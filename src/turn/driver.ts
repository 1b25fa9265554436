import { errorFacts } from "../shared/log.ts";
import { endOf, openCalls } from "../session/entries.ts";
import {
  claimTurn,
  isDriver,
  loadOpenTurns,
  setAttempt,
  type RunningTurn,
} from "../session/turns.ts";
import { nest, type TurnScope } from "./capability.ts";
import { LostTurn, type SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";
import { startNext } from "./line/inbox.ts";
import type { Jobs } from "./after/after-turn.ts";
import type { Registration } from "./after/registration.ts";
import { attachFiles } from "./context/attach.ts";
import { failureOf } from "./failure.ts";
import { limitReached, type LimitReached } from "./limits.ts";
import { sessionNow } from "./calls/effects.ts";
import { answerFormat } from "./output/output-format.ts";
import { parkIfWaiting } from "./calls/park.ts";
import { prepareTurn } from "./prepare.ts";
import { PromptSource } from "./context/prompt-source.ts";
import { recoveryBounds, recoveryExhausted } from "./recovery.ts";
import { abandonTurn, settleTurn } from "./settle.ts";
import { takeSteered } from "./line/steer.ts";
import { runStep } from "./step.ts";
import { settleStructured } from "./output/structured-output.ts";
import { runToolCalls, type ToolCallsContext } from "./calls/tool-calls.ts";
import { deliverTasks, startWake } from "./tasks/deliver.ts";
import { wakeHeld } from "./tasks/held.ts";
import { Compactor } from "./compaction/compactor.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * Runs a session's turns one after another, detached from any request: single-flight in this object, fenced by
 * its epoch in the turn's row against another. Starting it twice is harmless. It never rejects; state never
 * depends on its end.
 */
export class Driver {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #jobs: Jobs;
  readonly #registration: Registration;
  readonly #onParked: () => void;
  readonly #prompts: PromptSource;
  readonly #workspace: Workspace;
  readonly #compactor: Compactor;
  #isRunning = false;
  #current: { readonly turn: string; readonly abort: AbortController } | null = null;
  /** The turn this driver broke off with an unexpected failure: taken up again, that counts as an interruption. */
  #broken: string | null = null;

  /** `onParked` is called when a turn waits for someone outside, right after that was committed. */
  constructor(
    core: SessionCore,
    harness: Harness,
    { jobs, registration }: { readonly jobs: Jobs; readonly registration: Registration },
    onParked: () => void,
  ) {
    this.#core = core;
    this.#harness = harness;
    this.#compactor = new Compactor(core, harness);
    this.#prompts = new PromptSource(harness.prompt);
    this.#workspace = harness.workspace(core.platform.address);
    this.#jobs = jobs;
    this.#registration = registration;
    this.#onParked = onParked;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#core.platform.keepAlive(this.#loop());
  }

  /** Tells whatever works on the turn to let go, after its end was committed. */
  abort(turn: string): void {
    if (this.#current?.turn === turn) this.#current.abort.abort(new LostTurn());
  }

  async #loop(): Promise<void> {
    try {
      for (let turn = this.#next(); turn; turn = this.#next()) {
        await this.#drive(turn);
        this.#compactor.turnEnded();
        this.#turnEnded();
      }
      this.#turnEnded();
    } catch (error) {
      this.#core.platform.log("error", "driver_failed", errorFacts(error));
    } finally {
      this.#isRunning = false;
    }
  }

  #turnEnded(): void {
    if (this.#harness.hasAfterTurn) this.#jobs.turnEnded();
  }

  #next(): RunningTurn | null {
    for (let turn = this.#core.open[0]; turn?.state === "stopped"; turn = this.#core.open[0])
      settleTurn(this.#core, turn, { outcome: "stopped" }, { ...this.#harness, commit: "stop" });
    return this.#core.running ?? startNext(this.#core) ?? startWake(this.#core);
  }

  async #drive(turn: RunningTurn): Promise<void> {
    const core = this.#core;
    const abort = new AbortController();
    this.#current = { turn: turn.id, abort };
    try {
      const isInterrupted = turn.epoch !== core.epoch || this.#broken === turn.id;
      this.#broken = turn.id;
      if (isInterrupted && !(await this.#recover(turn))) return;
      this.#compactor.beginTurn(this.#running(turn.id));
      if (!isInterrupted && (await this.#registration.whenSettled(abort.signal)))
        if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
      await this.#runTurn(this.#scopeOf(turn.id, abort.signal), turn.id);
      this.#broken = null;
    } catch (error) {
      this.#letGo(turn, error);
    } finally {
      this.#current = null;
    }
  }

  #scopeOf(turn: string, signal: AbortSignal): TurnScope {
    const core = this.#core;
    return {
      address: core.platform.address,
      turn,
      zone: core.zone,
      now: () => core.clock.now(),
      workspace: this.#workspace,
      signal,
      session: () => sessionNow(core),
      end: () => endOf(core.entriesOf(turn)),
    };
  }

  /** Every way out of a turn that is not its own end. */
  #letGo(turn: RunningTurn, error: unknown): void {
    const core = this.#core;
    if (error instanceof LostTurn || core.isDeleted) {
      core.live = null;
      // Stopped here, or taken by another instance; beside that one nothing may run here.
      const open = loadOpenTurns(core.sql);
      const isReplaced =
        core.journal.isOutdated() ||
        open.some((other) => other.state === "running" && other.epoch !== core.epoch);
      core.open = isReplaced ? [] : open;
      return;
    }
    const failure = failureOf(core, turn.id, error);
    // A capability that throws late finds its turn ended.
    if (core.open[0]?.id !== turn.id) return;
    settleTurn(
      core,
      core.begun?.id === turn.id ? core.begun : turn,
      { outcome: "failed", error: failure },
      { ...this.#harness, commit: "end", epoch: core.epoch },
    );
  }

  /**
   * Takes an interrupted turn over from its last recorded fact; whether it goes on. The strike is durable before
   * anything is loaded: a session whose loading kills the object is given up, not retried for ever.
   */
  async #recover(turn: RunningTurn): Promise<boolean> {
    const core = this.#core;
    if (turn.strikes >= recoveryBounds.strikes) {
      const message =
        "The conversation is too large to be loaded. This turn was given up; the next message begins with an empty context.";
      abandonTurn(core, turn, { code: "out_of_memory", message });
      core.reloadContext();
      return false;
    }
    core.commit("claim", () => claimTurn(core.sql, turn.id, core.epoch));
    const claimed = { ...turn, epoch: core.epoch };
    core.replaceOpen(claimed);
    await core.platform.sync();
    this.#running(turn.id);
    const entries = core.entriesOf(turn.id);
    const exhausted = recoveryExhausted(entries, core.clock.now());
    if (exhausted) {
      this.#giveUp(claimed, exhausted);
      return false;
    }
    // The strike is taken back below, so the load that it stands for comes first.
    void core.window;
    const isInStep = turn.attempt > (entries.at(-1)?.seq ?? 0);
    const attempt = core.commit("recover", (tx) => {
      tx.append(turn.id, {
        kind: "reset",
        attempt: isInStep ? turn.attempt : null,
        reason: "interrupted",
      });
      const next = isInStep ? tx.reserve() : turn.attempt;
      core.sql.run("DELETE FROM live WHERE turn = ?", turn.id);
      if (!setAttempt(core.sql, turn.id, core.epoch, next)) throw new LostTurn();
      return next;
    });
    core.replaceOpen({ ...claimed, attempt });
    core.platform.log("info", "turn_recovered", { turn: turn.id });
    return true;
  }

  #giveUp(turn: RunningTurn, reason: LimitReached): void {
    settleTurn(
      this.#core,
      turn,
      { outcome: "failed", error: reason },
      { ...this.#harness, commit: "end", epoch: turn.epoch },
    );
  }

  async #runTurn(scope: TurnScope, id: string): Promise<void> {
    const { capabilities } = this.#harness;
    const format = answerFormat(this.#core.entriesOf(id));
    const prepared = await prepareTurn(scope, this.#harness, this.#prompts, format);
    if (scope.signal.aborted) throw new LostTurn();
    if (this.#harness.attachesFiles)
      await attachFiles(this.#core, scope, this.#running(id), prepared.tags);
    const digests = new Map<string, string>();
    const compactor = this.#compactor;
    const context = { ...this.#harness, core: this.#core, compactor, prepared, scope, digests };
    let isParked = false;
    const wrapTurn = capabilities.flatMap((item) =>
      item.wrapTurn ? [item.wrapTurn.bind(item)] : [],
    );
    const wrapStep = capabilities.flatMap((item) =>
      item.wrapStep ? [item.wrapStep.bind(item)] : [],
    );
    const work = async () => {
      for (let goesOn = true; goesOn;) {
        const turn = this.#running(id);
        const entries = this.#core.entriesOf(id);
        if (openCalls(entries).length > 0) {
          isParked = await this.#runCalls(context, turn);
          if (isParked) return this.#onParked();
          continue;
        }
        if (settleStructured(context, turn, entries)) return;
        const limit = limitReached(entries, this.#harness.limits);
        if (limit) {
          settleTurn(
            this.#core,
            turn,
            { outcome: "failed", error: limit },
            { ...context, commit: "end", epoch: turn.epoch },
          );
          return;
        }
        takeSteered(this.#core, turn);
        deliverTasks(this.#core, turn);
        await compactor.makeRoom(context, this.#running(id));
        goesOn = false;
        await nest(
          wrapStep,
          [scope, entries.filter((entry) => entry.kind === "step").length + 1],
          async () => {
            goesOn = await runStep(context, this.#running(id));
          },
        );
      }
    };
    try {
      await nest(wrapTurn, [scope], work);
    } catch (error) {
      // What waits, or goes on by now, is not undone by what comes after it.
      if (!isParked || error instanceof LostTurn) throw error;
      this.#core.platform.log("error", "capability_failed", { turn: id, ...errorFacts(error) });
    }
    if (!isParked && this.#core.running?.id === id)
      throw new Error("a capability's wrapper did not go on");
  }

  /** Runs of the open calls what may run; whether the turn now rests, because all that is left waits. */
  async #runCalls(context: ToolCallsContext, turn: RunningTurn): Promise<boolean> {
    const core = this.#core;
    const { permissions } = core;
    await runToolCalls(context, turn);
    // What holds by now may settle what was asked before it did.
    if (core.permissions !== permissions) return false;
    if (wakeHeld(core, this.#running(turn.id))) return false;
    return parkIfWaiting(core, this.#harness, this.#running(turn.id));
  }

  /** The turn as it is now; it may have been stopped while we waited. */
  #running(id: string): RunningTurn {
    const turn = this.#core.running;
    if (turn?.id !== id) throw new LostTurn();
    return turn;
  }
}
