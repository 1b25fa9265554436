import { errorFacts } from "../shared/log.ts";
import { nextDue } from "../session/jobs.ts";
import type { Jobs } from "./after/after-turn.ts";
import type { Outbox } from "./after/outbox.ts";
import type { Registration } from "./after/registration.ts";
import { expireCalls, nextExpiry } from "./calls/expiry.ts";
import { LostTurn, type SessionCore } from "./core.ts";
import type { Driver } from "./driver.ts";
import { DEAD_MAN_MS } from "./dead-man.ts";
import type { Platform } from "./platform.ts";
import type { Reporter } from "./tasks/reporter.ts";
import { waitsForPerson } from "./status.ts";
import { tendTools } from "./tasks/background.ts";
import { mayWake } from "./tasks/deliver.ts";

/** The one alarm of a session. One row each time, so an earlier one is left standing: it will re-arm itself. */
export class OneAlarm {
  readonly #platform: Pick<Platform, "setAlarm">;
  /** When it stands, as far as this instance knows. */
  at: number | null = null;

  constructor(platform: Pick<Platform, "setAlarm">) {
    this.#platform = platform;
  }

  set(at: number): void {
    if (this.at !== null && this.at <= at) return;
    this.at = at;
    this.#platform.setAlarm(at);
  }
}

export type Kept = {
  readonly alarm: OneAlarm;
  readonly driver: Driver;
  readonly jobs: Jobs;
  readonly registration: Registration;
  readonly outbox: Outbox;
  readonly reporter: Reporter;
  /** Goes on with deleting the session. */
  readonly erase: () => Promise<unknown>;
};

/** Sees to it that what a session has to do is done, behind an alarm for as long as there is anything. */
export class Keeper {
  readonly #core: SessionCore;
  readonly #kept: Kept;
  /** Whether the session waited for someone outside when it was last looked at. */
  #wasWaiting: boolean;

  constructor(core: SessionCore, kept: Kept) {
    this.#core = core;
    this.#kept = kept;
    this.#wasWaiting = waitsForPerson(core);
  }

  /**
   * Starts the driver where it has something to do, behind an alarm that starts it again if it dies. A turn that waits
   * has none: only the alarm that settles what nobody answers.
   */
  wake(): void {
    this.expire();
    if (this.#core.isBusy || mayWake(this.#core)) this.#drive();
    this.#kept.reporter.wake();
    this.rest();
  }

  /** Sees to the alarm of a turn that waits, and tells others at once that it does, or does no more. */
  rest(): void {
    const core = this.#core;
    const { alarm, outbox } = this.#kept;
    const isWaiting = waitsForPerson(core);
    if (isWaiting !== this.#wasWaiting) outbox.wake();
    this.#wasWaiting = isWaiting;
    const expiry = nextExpiry(core);
    if (expiry === null || (alarm.at !== null && alarm.at <= expiry)) return;
    // An alarm that this object knows nothing of may stand for something that is due before.
    alarm.set(nextDue(core.sql) ?? expiry);
  }

  /** Settles what nobody has answered in its time. */
  expire(): void {
    try {
      if (expireCalls(this.#core) && this.#core.isBusy) this.#drive();
    } catch (error) {
      // Another object has gone on with the session.
      if (!(error instanceof LostTurn)) throw error;
    }
  }

  /**
   * The dead-man alarm: keeps a running driver's object up, restarts a driver that died, runs due jobs. Never
   * throws: a platform gives up on an alarm that does. Leaves no alarm behind when nothing waits.
   */
  async rang(): Promise<void> {
    const { alarm, erase } = this.#kept;
    alarm.at = null;
    const { platform, clock } = this.#core;
    platform.point("alarm:before");
    try {
      if (this.#core.isDeleted) await erase();
      else await this.#work();
    } catch (error) {
      platform.log("error", "alarm_failed", errorFacts(error));
      alarm.set(clock.now() + DEAD_MAN_MS);
    }
    platform.point("alarm:after");
  }

  async #work(): Promise<void> {
    const { platform, clock, sql } = this.#core;
    const { alarm, driver, jobs, registration, outbox, reporter } = this.#kept;
    this.expire();
    jobs.wakeLater();
    reporter.wake();
    tendTools(this.#core);
    const isBusy = this.#core.isBusy || mayWake(this.#core);
    const hasTools = this.#core.beside.tools.size > 0;
    if (isBusy || driver.isRunning || jobs.isRunning || hasTools) {
      alarm.set(clock.now() + DEAD_MAN_MS);
      if (isBusy) driver.start();
      platform.keepAlive(registration.retry());
      platform.keepAlive(outbox.run());
    } else {
      await registration.retry();
      await outbox.run();
      if (nextDue(sql) !== null) await jobs.run();
      this.rest();
    }
  }

  #drive(): void {
    this.#kept.alarm.set(this.#core.clock.now() + DEAD_MAN_MS);
    this.#kept.driver.start();
  }
}
