import { invalid, notFound } from "../shared/errors.ts";
import { parseCursor, START, type Cursor } from "../shared/events.ts";
import { errorFacts } from "../shared/log.ts";
import type { AcceptRequest, HistoryPage, TailRequest, TurnView } from "../shared/session-api.ts";
import { toAgentState, type AgentState } from "../session/agent-state.ts";
import { readHistory } from "../session/history.ts";
import { nextDue } from "../session/jobs.ts";
import { runTail } from "../session/tail.ts";
import { findTurn, stopQueued } from "../session/turns.ts";
import { Jobs } from "./after-turn.ts";
import { SessionCore, toView, type Platform } from "./core.ts";
import { Driver } from "./driver.ts";
import type { Harness } from "./harness.ts";
import { acceptTurn, DEAD_MAN_MS } from "./inbox.ts";
import { Registration } from "./registration.ts";
import { settleTurn } from "./settle.ts";

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
  /** When the alarm stands, as far as this instance knows. */
  #alarmAt: number | null = null;

  /** Loads what is unfinished; nothing runs until someone calls. */
  constructor(platform: Platform, harness: Harness) {
    const setAlarm = (at: number) => this.#setAlarm(platform, at);
    this.#core = new SessionCore({ ...platform, setAlarm });
    this.#harness = harness;
    this.#jobs = new Jobs(this.#core, harness);
    this.#registration = new Registration(this.#core);
    this.#driver = new Driver(this.#core, harness, this.#jobs);
  }

  /**
   * Takes a message in, committed when this returns. Safe to repeat with the same key. The caller is told, and events
   * are streamed, only when `whenRegistered` resolves; the turn does not wait for it.
   */
  accept(request: AcceptRequest): { readonly turn: TurnView; readonly isNew: boolean } {
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
   * that turn has ended and everything up to there was written.
   */
  tail(request: TailRequest): (write: (text: string) => Promise<void>) => Promise<void> {
    const core = this.#core;
    const { until } = request;
    const after = request.after === undefined ? null : parseCursor(request.after);
    if (!after && request.after !== undefined) {
      throw invalid(
        'The cursor must be an event id such as "12.0", as sent in "id:", or "0.0" for the beginning.',
      );
    }
    if (after && after.seq >= core.nextSeq)
      throw invalid('This session has no event with that id. Start from "0.0".');
    const find = (id: string) => core.open.find((turn) => turn.id === id) ?? findTurn(core.sql, id);
    if (until !== undefined && !find(until)) throw notFound("That turn");
    const startOf = (id: string): Cursor | null => {
      const turn = find(id);
      const start = turn && "start" in turn ? turn.start : null;
      return start === null ? null : { seq: start - 1, offset: 0 };
    };
    this.#wake();
    return (write) =>
      runTail(
        {
          log: core.events,
          bell: core.bell,
          clock: core.clock,
          after: () => after ?? (until === undefined ? START : startOf(until)),
          status: () => core.status(),
          isLast: (event) => event.type === "turn-end" && event.turn === until,
          isOver: () => until !== undefined && !core.open.some((turn) => turn.id === until),
          isBusy: () => core.open.length > 0,
        },
        write,
      );
  }

  /** Ends the running turn, or the named one, as stopped; committed when this returns. */
  stop(turn?: string): TurnView | null {
    const core = this.#core;
    const open = core.open.find((candidate) =>
      turn === undefined ? candidate.state !== "stopped" : candidate.id === turn,
    );
    if (!open) {
      if (turn === undefined) return null;
      const ended = findTurn(core.sql, turn);
      if (!ended) throw notFound("That turn");
      return toView(turn, ended.state, ended.start);
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
    const core = this.#core;
    this.#wake();
    const before = Math.min(page.before ?? core.nextSeq, core.nextSeq);
    const read = readHistory(core.journal, before, page.limit);
    return { session: core.platform.address.session, status: core.status(), ...read };
  }

  state(): AgentState {
    this.#wake();
    return toAgentState(
      this.#core.platform.address,
      this.#core.window,
      this.#core.running?.id ?? null,
    );
  }

  /** The oldest unfinished turn. */
  current(): TurnView | null {
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
      if (this.#core.open.length > 0 || this.#driver.isRunning || this.#jobs.isRunning) {
        platform.setAlarm(clock.now() + DEAD_MAN_MS);
        if (this.#core.open.length > 0) this.#driver.start();
        platform.keepAlive(this.#registration.retry());
      } else {
        await this.#registration.retry();
        if (nextDue(sql) !== null) await this.#jobs.run();
      }
    } catch (error) {
      platform.log("error", "alarm_failed", errorFacts(error));
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
    }
    platform.point("alarm:after");
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
