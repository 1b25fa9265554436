import { initialPermissions } from "../permissions/config.ts";
import { sessionGone } from "../shared/errors.ts";
import type { Work } from "../shared/plan.ts";
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
import { Jobs } from "./after/after-turn.ts";
import { answersBefore, type AnswerResult } from "./calls/answer.ts";
import { answerAll } from "./tasks/answer-all.ts";
import { Family } from "./tasks/family.ts";
import { assertOwn, assertSpokenTo } from "./tasks/governed.ts";
import { Reporter } from "./tasks/reporter.ts";
import { clearedAt, clearSession } from "./records/clear.ts";
import { SessionCore } from "./core.ts";
import { Driver } from "./driver.ts";
import type { Harness } from "./harness.ts";
import { exportState } from "./records/export-state.ts";
import { importState } from "./records/import-state.ts";
import { acceptTurn, type Accepting } from "./line/inbox.ts";
import { Keeper, OneAlarm } from "./keeper.ts";
import { openTail } from "./open-tail.ts";
import type { Platform } from "./platform.ts";
import { Outbox } from "./after/outbox.ts";
import { changePlan } from "./rights/plan.ts";
import { changePermissions, viewPermissions } from "./rights/permissions.ts";
import { Registration } from "./after/registration.ts";
import { eraseSession, isEmpty, markDeleted } from "./records/remove.ts";
import { stopTurn } from "./line/stop.ts";
import { renameSession, titleOf } from "./records/title.ts";
import { statusOf, viewOf } from "./status.ts";

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
  readonly #keeper: Keeper;
  /** What it hears of its parent's session, and of those of its subagents. */
  readonly family: Family;
  #erasing: Promise<boolean> | null = null;

  /** Loads what is unfinished; nothing runs until someone calls. */
  constructor(platform: Platform, harness: Harness) {
    const alarm = new OneAlarm(platform);
    const setAlarm = (at: number) => alarm.set(at);
    const { permissions, hasPlanMode } = harness;
    const defaults = initialPermissions(permissions);
    const offered = { defaults, modes: permissions.modes, hasPlanMode };
    this.#core = new SessionCore({ ...platform, setAlarm }, offered, harness.context);
    this.#harness = harness;
    const jobs = new Jobs(this.#core, harness);
    const registration = new Registration(this.#core);
    const outbox = new Outbox(this.#core, harness, registration);
    const rest = () => this.#keeper.rest();
    const driver = new Driver(this.#core, harness, { jobs, registration }, rest);
    const reporter = new Reporter(this.#core);
    this.#core.beside.wakeOutbox = () => outbox.wake();
    const erase = () => this.#erase();
    this.#keeper = new Keeper(this.#core, {
      alarm,
      driver,
      jobs,
      registration,
      outbox,
      reporter,
      erase,
    });
    const wake = () => this.#keeper.wake();
    this.#core.beside.wake = wake;
    this.family = new Family(this.#core, { accept: (one) => this.accept(one), wake, outbox });
    [this.#jobs, this.#registration] = [jobs, registration];
    [this.#outbox, this.#driver] = [outbox, driver];
  }

  /**
   * Takes a message in, committed when this returns. Safe to repeat with the same key. The caller is told, and events
   * are streamed, only when `whenRegistered` resolves; the turn does not wait for it.
   */
  accept(request: Omit<AcceptRequest, "answers">, answer: Accepting["answer"] = null): Accepted {
    this.#assertThere();
    this.#keeper.expire();
    const { isDone: isRegistered } = this.#registration;
    const { hasAfterTurn } = this.#harness;
    const accepting = { isRegistered, hasAfterTurn, answer };
    const { stopped, ...accepted } = acceptTurn(this.#core, request, accepting);
    if (stopped !== null) this.#driver.abort(stopped);
    this.#keeper.wake();
    return accepted;
  }

  /** `accept`, with what was answered before the message. */
  async acceptWithAnswers({ answers, ...request }: AcceptRequest): Promise<Accepted> {
    this.#assertThere();
    assertSpokenTo(this.#core);
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

  /** `whenRegistered`, and what other sessions are to be told they know, or a job goes on with it. */
  async whenTold(): Promise<void> {
    await this.whenRegistered();
    await this.family.whenTold();
  }

  /**
   * Checks a tail's request at once and gives the function that runs it. `until` names a turn: the tail ends when
   * that turn has ended, or waits, and everything up to there was written.
   */
  tail(request: TailRequest): (write: (text: string) => Promise<void>) => Promise<void> {
    this.#assertThere();
    const run = openTail(this.#core, request);
    this.#keeper.wake();
    return run;
  }

  /** Answers parked calls, committed when this resolves. Safe to repeat. */
  async answer(answers: readonly CallAnswer[], by: string): Promise<AnswerResult> {
    this.#assertThere();
    this.#keeper.expire();
    const result = await answerAll(this.#core, this.#harness, answers, by).catch(
      (error: unknown) => {
        // It may have been deleted while the answers were looked at.
        this.#assertThere();
        throw error;
      },
    );
    this.#keeper.wake();
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
    this.#keeper.expire();
    assertOwn(this.#core);
    const { isDone } = this.#registration;
    const view = changePermissions(this.#core, this.#harness, change, by, isDone);
    this.#keeper.wake();
    return view;
  }

  /** Whether a turn is not ended. */
  get isBusy(): boolean {
    return this.#core.open.length > 0;
  }

  /** Whether nothing ever happened here. */
  get isEmpty(): boolean {
    return isEmpty(this.#core);
  }

  /** What is planned and to be done here. */
  work(): Work {
    this.#assertThere();
    return this.#core.work;
  }

  /** Begins or ends plan mode, committed when this returns; `whenRegistered` then says that the session is listed. */
  setPlan(active: boolean, by: string): Work {
    this.#assertThere();
    this.#keeper.expire();
    assertOwn(this.#core);
    const { isDone: isRegistered } = this.#registration;
    const work = changePlan(this.#core, this.#harness, { active, by, isRegistered });
    this.#keeper.wake();
    return work;
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
    assertSpokenTo(this.#core);
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
    assertOwn(this.#core);
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
      this.#keeper.wake();
    }
    return stopped?.view ?? null;
  }

  /** A page of messages that start below `before` (the newest when absent), with what goes on right now. */
  history(page: { readonly before?: number; readonly limit: number }): HistoryPage {
    this.#assertThere();
    const core = this.#core;
    this.#keeper.wake();
    const asked = Math.min(page.before ?? core.nextSeq, core.nextSeq);
    // A cursor from before the conversation began anew shows nothing of what was said then.
    const before = Math.max(asked, clearedAt(core) + 1);
    const read = readHistory(core.journal, before, page.limit);
    const { session } = core.platform.address;
    return { session, title: titleOf(core), status: statusOf(core), ...read };
  }

  state(): AgentState {
    this.#assertThere();
    this.#keeper.wake();
    return exportState(this.#core);
  }

  /** The oldest unfinished turn. */
  current(): TurnView | null {
    this.#assertThere();
    this.#keeper.wake();
    const turn = this.#core.open.find(({ state }) => state !== "stopped");
    return turn ? viewOf(this.#core, turn) : null;
  }

  /** For when the alarm goes off. Never throws. */
  alarm(): Promise<void> {
    return this.#keeper.rang();
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
}
