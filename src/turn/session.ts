import { initialPermissions } from "../permissions/config.ts";
import { notFound, sessionGone } from "../shared/errors.ts";
import { errorFacts } from "../shared/log.ts";
import type {
  AcceptRequest,
  CallAnswer,
  HistoryPage,
  PermissionsChange,
  PermissionsView,
  TailRequest,
  TurnView,
} from "../shared/session-api.ts";
import { toAgentState, type AgentState } from "../session/agent-state.ts";
import { readHistory } from "../session/history.ts";
import { nextDue } from "../session/jobs.ts";
import { findTurn, stopQueued } from "../session/turns.ts";
import { Jobs } from "./after-turn.ts";
import { answerCalls, type AnswerResult } from "./answer.ts";
import { clearSession } from "./clear.ts";
import { SessionCore, toView, type Platform } from "./core.ts";
import { Driver } from "./driver.ts";
import type { Harness } from "./harness.ts";
import { importState } from "./import-state.ts";
import { acceptTurn, DEAD_MAN_MS } from "./inbox.ts";
import { openTail } from "./open-tail.ts";
import { Outbox } from "./outbox.ts";
import { changePermissions, viewPermissions } from "./permissions.ts";
import { Registration } from "./registration.ts";
import { eraseSession, markDeleted } from "./remove.ts";
import { settleTurn } from "./settle.ts";
import { renameSession, titleOf } from "./title.ts";

/**
 * One session: accepts messages, runs their turns in order, and tells whoever listens. All of it is logic over
 * a `Platform`: a Durable Object hosts it in production, plain Node in simulation.
 */
export class Session {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #driver: Driver;
  readonly #jobs: Jobs;
  readonly #registration: Registration;
  readonly #outbox: Outbox;
  /** When the alarm stands, as far as this instance knows. */
  #alarmAt: number | null = null;

  /** Loads what is unfinished; nothing runs until someone calls. */
  constructor(platform: Platform, harness: Harness) {
    const setAlarm = (at: number) => this.#setAlarm(platform, at);
    const defaults = initialPermissions(harness.permissions);
    this.#core = new SessionCore({ ...platform, setAlarm }, defaults);
    this.#harness = harness;
    this.#jobs = new Jobs(this.#core, harness);
    this.#registration = new Registration(this.#core);
    this.#outbox = new Outbox(this.#core, harness);
    this.#driver = new Driver(this.#core, harness, this.#jobs);
  }

  /**
   * Takes a message in, committed when this returns. Safe to repeat with the same key. The caller is told, and events
   * are streamed, only when `whenRegistered` resolves; the turn does not wait for it.
   */
  accept(request: AcceptRequest): { readonly turn: TurnView; readonly isNew: boolean } {
    this.#assertThere();
    const accepted = acceptTurn(this.#core, request, this.#registration.isDone);
    this.#wake();
    return accepted;
  }

  /**
   * Resolves when the registry knows that this session exists: at once, but after its first message. Rejects with
   * `CarrelError('overloaded')` when the registry cannot be reached; what was accepted stays accepted.
   */
  whenRegistered(): Promise<void> {
    return this.#registration.whenDone();
  }

  /**
   * Checks a tail's request at once and gives the function that runs it. `until` names a turn: the tail ends when
   * that turn has ended, or waits, and everything up to there was written.
   */
  tail(request: TailRequest): (write: (text: string) => Promise<void>) => Promise<void> {
    this.#assertThere();
    const run = openTail(this.#core, request);
    this.#wake();
    return run;
  }

  /** Answers parked calls, committed when this resolves. Safe to repeat. */
  async answer(answers: readonly CallAnswer[], by: string): Promise<AnswerResult> {
    this.#assertThere();
    const result = await answerCalls(this.#core, this.#harness, answers, by);
    this.#wake();
    this.#outbox.wake();
    return result;
  }

  /** What is allowed here. */
  permissions(): PermissionsView {
    this.#assertThere();
    return viewPermissions(this.#core, this.#harness);
  }

  /** Changes what is allowed, committed when this returns; `whenRegistered` then says that the session is listed. */
  setPermissions(change: PermissionsChange, by: string): PermissionsView {
    this.#assertThere();
    const { isDone } = this.#registration;
    const view = changePermissions(this.#core, this.#harness, change, by, isDone);
    this.#wake();
    return view;
  }

  rename(title: string): string {
    this.#assertThere();
    const renamed = renameSession(this.#core, title);
    this.#outbox.wake();
    return renamed;
  }

  /** Begins the conversation anew; permissions stay. */
  clear(by: string): void {
    this.#assertThere();
    clearSession(this.#core, by);
  }

  /** Deletes the session: from when this was called nothing else is answered. Whether all of it is gone already. */
  async remove(): Promise<boolean> {
    this.#assertThere();
    const { begun } = this.#core;
    await markDeleted(this.#core);
    if (begun) this.#driver.abort(begun.id);
    return this.#erase();
  }

  /** Takes a state document into an empty session; `whenRegistered` then says that the session is listed. */
  importState(state: unknown, by: string): number {
    this.#assertThere();
    return importState(this.#core, state, by, this.#registration.isDone);
  }

  /** Ends the running turn, or the named one, as stopped; committed when this returns. */
  stop(turn?: string): TurnView | null {
    this.#assertThere();
    const core = this.#core;
    const open = core.open.find((candidate) =>
      turn === undefined ? candidate.state !== "stopped" : candidate.id === turn,
    );
    if (!open) {
      if (turn === undefined) return null;
      const ended = findTurn(core.sql, turn);
      if (!ended) throw notFound("That turn");
      if (ended.joined !== null && core.begun?.id === ended.joined) return this.stop(ended.joined);
      return core.viewOfStored(turn, ended);
    }
    if (open !== core.open[0]) {
      core.commit("stop", () => stopQueued(core.sql, open.id));
      if (open.state === "queued") core.replaceOpen({ ...open, state: "stopped" });
      return toView(open.id, "stopped", null);
    }
    settleTurn(core, open, { outcome: "stopped" }, { ...this.#harness, commit: "stop" });
    this.#driver.abort(open.id);
    const stopped = findTurn(core.sql, open.id);
    this.#wake();
    return toView(open.id, "stopped", stopped?.start ?? null);
  }

  /** A page of messages that start below `before` (the newest when absent), with what goes on right now. */
  history(page: { readonly before?: number; readonly limit: number }): HistoryPage {
    this.#assertThere();
    const core = this.#core;
    this.#wake();
    const before = Math.min(page.before ?? core.nextSeq, core.nextSeq);
    const read = readHistory(core.journal, before, page.limit);
    const { session } = core.platform.address;
    return { session, title: titleOf(core), status: core.status(), ...read };
  }

  state(): AgentState {
    this.#assertThere();
    this.#wake();
    return toAgentState(
      this.#core.platform.address,
      this.#core.window,
      this.#core.begun?.id ?? null,
    );
  }

  /** The oldest unfinished turn. */
  current(): TurnView | null {
    this.#assertThere();
    this.#wake();
    const turn = this.#core.open.find(({ state }) => state !== "stopped");
    return turn ? this.#core.viewOf(turn) : null;
  }

  /**
   * The dead-man alarm: keeps a running driver's object up, restarts a driver that died, runs due jobs. Never
   * throws: a platform gives up on an alarm that does. Leaves no alarm behind when nothing waits.
   */
  async alarm(): Promise<void> {
    this.#alarmAt = null;
    const { platform, clock, sql } = this.#core;
    platform.point("alarm:before");
    try {
      if (this.#core.isDeleted) await this.#erase();
      else if (this.#core.open.length > 0 || this.#driver.isRunning || this.#jobs.isRunning) {
        platform.setAlarm(clock.now() + DEAD_MAN_MS);
        if (this.#core.open.length > 0) this.#driver.start();
        platform.keepAlive(this.#registration.retry());
        platform.keepAlive(this.#outbox.run());
      } else {
        await this.#registration.retry();
        await this.#outbox.run();
        if (nextDue(sql) !== null) await this.#jobs.run();
      }
    } catch (error) {
      platform.log("error", "alarm_failed", errorFacts(error));
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
    }
    platform.point("alarm:after");
  }

  #assertThere(): void {
    if (this.#core.isDeleted) throw sessionGone();
  }

  async #erase(): Promise<boolean> {
    await this.#jobs.rest();
    return eraseSession(this.#core, this.#harness);
  }

  /** Starts the driver where a turn is unfinished, behind an alarm that starts it again if it dies. */
  #wake(): void {
    if (this.#core.open.length === 0) return;
    this.#core.platform.setAlarm(this.#core.clock.now() + DEAD_MAN_MS);
    this.#driver.start();
  }

  /** One row each time, so an alarm that stands earlier is left standing: it will re-arm itself. */
  #setAlarm(platform: Platform, at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    platform.setAlarm(at);
  }
}
