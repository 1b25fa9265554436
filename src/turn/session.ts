import { initialPermissions } from "../permissions/config.ts";
import { sessionGone } from "../shared/errors.ts";
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
import type { AgentState } from "../session/agent-state.ts";
import { readHistory } from "../session/history.ts";
import { nextDue } from "../session/jobs.ts";
import { Jobs } from "./after/after-turn.ts";
import { answerCalls, answersBefore, type AnswerResult } from "./calls/answer.ts";
import { clearedAt, clearSession } from "./records/clear.ts";
import { LostTurn, SessionCore } from "./core.ts";
import { Driver } from "./driver.ts";
import type { Harness } from "./harness.ts";
import { exportState } from "./records/export-state.ts";
import { expireCalls, nextExpiry } from "./calls/expiry.ts";
import { importState } from "./records/import-state.ts";
import { acceptTurn, DEAD_MAN_MS, type Accepting } from "./line/inbox.ts";
import { openTail } from "./open-tail.ts";
import type { Platform } from "./platform.ts";
import { Outbox } from "./after/outbox.ts";
import { changePermissions, viewPermissions } from "./rights/permissions.ts";
import { Registration } from "./after/registration.ts";
import { eraseSession, markDeleted } from "./records/remove.ts";
import { stopTurn } from "./line/stop.ts";
import { renameSession, titleOf } from "./records/title.ts";

type Accepted = { readonly turn: TurnView; readonly isNew: boolean };

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
  #erasing: Promise<boolean> | null = null;
  /** Whether the session waited for someone outside when it was last looked at. */
  #wasWaiting: boolean;

  /** Loads what is unfinished; nothing runs until someone calls. */
  constructor(platform: Platform, harness: Harness) {
    const setAlarm = (at: number) => this.#setAlarm(platform, at);
    const { modes } = harness.permissions;
    const offered = { defaults: initialPermissions(harness.permissions), modes };
    this.#core = new SessionCore({ ...platform, setAlarm }, offered, harness.context);
    this.#harness = harness;
    const jobs = new Jobs(this.#core, harness);
    const registration = new Registration(this.#core);
    [this.#jobs, this.#registration] = [jobs, registration];
    this.#outbox = new Outbox(this.#core, harness, registration);
    this.#driver = new Driver(this.#core, harness, { jobs, registration }, () => this.#rest());
    this.#wasWaiting = this.#core.begun?.state === "waiting";
  }

  /**
   * Takes a message in, committed when this returns. Safe to repeat with the same key. The caller is told, and events
   * are streamed, only when `whenRegistered` resolves; the turn does not wait for it.
   */
  accept(request: Omit<AcceptRequest, "answers">, answer: Accepting["answer"] = null): Accepted {
    this.#assertThere();
    this.#expire();
    const { isDone: isRegistered } = this.#registration;
    const { hasAfterTurn } = this.#harness;
    const accepting = { isRegistered, hasAfterTurn, answer };
    const { stopped, ...accepted } = acceptTurn(this.#core, request, accepting);
    if (stopped !== null) this.#driver.abort(stopped);
    this.#wake();
    return accepted;
  }

  /** `accept`, with what was answered before the message. */
  async acceptWithAnswers({ answers, ...request }: AcceptRequest): Promise<Accepted> {
    this.#assertThere();
    const answer = answers && (await answersBefore(this.#core, this.#harness, answers));
    return this.accept(request, answer);
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
    this.#expire();
    const result = await answerCalls(this.#core, this.#harness, answers, by).catch(
      (error: unknown) => {
        // It may have been deleted while the answers were looked at.
        this.#assertThere();
        throw error;
      },
    );
    this.#wake();
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
    this.#expire();
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
    const begun = await markDeleted(this.#core);
    if (begun !== null) this.#driver.abort(begun);
    return this.#erase();
  }

  /** Takes a state document into an empty session; `whenRegistered` then says that the session is listed. */
  importState(state: unknown, by: string): number {
    this.#assertThere();
    const { isDone } = this.#registration;
    const messages = importState(this.#core, this.#harness, { state, by, isRegistered: isDone });
    this.#outbox.wake();
    return messages;
  }

  /** Ends the running turn, or the named one, as stopped; committed when this returns. */
  stop(turn?: string): TurnView | null {
    this.#assertThere();
    const stopped = stopTurn(this.#core, this.#harness, turn);
    if (stopped?.hasEnded === true) {
      this.#driver.abort(stopped.view.turn);
      this.#wake();
    }
    return stopped?.view ?? null;
  }

  /** A page of messages that start below `before` (the newest when absent), with what goes on right now. */
  history(page: { readonly before?: number; readonly limit: number }): HistoryPage {
    this.#assertThere();
    const core = this.#core;
    this.#wake();
    const asked = Math.min(page.before ?? core.nextSeq, core.nextSeq);
    // A cursor from before the conversation began anew shows nothing of what was said then.
    const before = Math.max(asked, clearedAt(core) + 1);
    const read = readHistory(core.journal, before, page.limit);
    const { session } = core.platform.address;
    return { session, title: titleOf(core), status: core.status(), ...read };
  }

  state(): AgentState {
    this.#assertThere();
    this.#wake();
    return exportState(this.#core);
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
    const { platform, clock } = this.#core;
    platform.point("alarm:before");
    try {
      if (this.#core.isDeleted) await this.#erase();
      else await this.#work();
    } catch (error) {
      platform.log("error", "alarm_failed", errorFacts(error));
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
    }
    platform.point("alarm:after");
  }

  async #work(): Promise<void> {
    const { platform, clock, sql } = this.#core;
    this.#expire();
    this.#jobs.wakeLater();
    if (this.#core.isBusy || this.#driver.isRunning || this.#jobs.isRunning) {
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
      if (this.#core.isBusy) this.#driver.start();
      platform.keepAlive(this.#registration.retry());
      platform.keepAlive(this.#outbox.run());
    } else {
      await this.#registration.retry();
      await this.#outbox.run();
      if (nextDue(sql) !== null) await this.#jobs.run();
      this.#rest();
    }
  }

  #assertThere(): void {
    if (this.#core.isDeleted) throw sessionGone();
  }

  /** One at a time: nothing that this instance has under way may write outside after it. */
  #erase(): Promise<boolean> {
    const atRest = [this.#jobs.rest(), this.#registration.rest(), this.#outbox.run()];
    this.#erasing ??= Promise.all(atRest)
      .then(() => eraseSession(this.#core, this.#harness))
      .finally(() => (this.#erasing = null));
    return this.#erasing;
  }

  /**
   * Starts the driver where it has something to do, behind an alarm that starts it again if it dies. A turn that waits
   * has none: only the alarm that settles what nobody answers.
   */
  #wake(): void {
    this.#expire();
    if (this.#core.isBusy) this.#drive();
    this.#rest();
  }

  /** Sees to the alarm of a turn that waits, and tells others at once that it does, or does no more. */
  #rest(): void {
    const isWaiting = this.#core.begun?.state === "waiting";
    if (isWaiting !== this.#wasWaiting) this.#outbox.wake();
    this.#wasWaiting = isWaiting;
    const expiry = nextExpiry(this.#core);
    if (expiry === null || (this.#alarmAt !== null && this.#alarmAt <= expiry)) return;
    // An alarm that this object knows nothing of may stand for something that is due before.
    this.#core.platform.setAlarm(nextDue(this.#core.sql) ?? expiry);
  }

  #drive(): void {
    this.#core.platform.setAlarm(this.#core.clock.now() + DEAD_MAN_MS);
    this.#driver.start();
  }

  /** Settles what nobody has answered in its time. */
  #expire(): void {
    try {
      if (expireCalls(this.#core) && this.#core.isBusy) this.#drive();
    } catch (error) {
      // Another object has gone on with the session.
      if (!(error instanceof LostTurn)) throw error;
    }
  }

  /** One row each time, so an alarm that stands earlier is left standing: it will re-arm itself. */
  #setAlarm(platform: Platform, at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return;
    this.#alarmAt = at;
    platform.setAlarm(at);
  }
}
