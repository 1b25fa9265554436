import { CarrelError, sessionGone } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import { findJob, postponeJob, removeJob } from "../../session/jobs.ts";
import { readState, writeState } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";
import { REGISTER_JOB } from "../line/inbox.ts";
import { learnSettings } from "../line/zone.ts";

const TRIES = 3;
const BETWEEN_TRIES_MS = 200;
/** A turn waits no longer for what the user has set. */
const SETTINGS_MS = 2_000;

/**
 * Makes the registry know a session that has accepted its first turn. That it does is remembered in the session's
 * tables; until then a job stands there, so that a crash in between leaves nothing that exists unregistered.
 */
export class Registration {
  readonly #core: SessionCore;
  #isDone: boolean | null = null;
  #tries: Promise<void> | null = null;
  #trying: Promise<boolean> = Promise.resolve(false);
  #hasWaited = false;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Looked up once in the life of an object, so that a turn costs nothing for it. */
  get isDone(): boolean {
    return (this.#isDone ??= readState(this.#core.sql, "registered") !== null);
  }

  /**
   * Resolves when the registry knows the session, at once when it does. After three failures it throws
   * `CarrelError('overloaded')`; the next call tries again. Concurrent calls wait for the same tries.
   */
  async whenDone(): Promise<void> {
    if (this.isDone) return;
    this.#tries ??= this.#tryAll().finally(() => (this.#tries = null));
    await this.#tries;
  }

  /**
   * Resolves when the registry has told what the user has set, at once where that is known or a message has told it; after
   * two seconds, a failure, or once `signal` aborts, all the same. Waits once in the life of an object; whether it did.
   * Never rejects.
   */
  async whenSettled(signal: AbortSignal): Promise<boolean> {
    if (this.#hasWaited || this.#core.place !== null || this.isDone) return false;
    this.#hasWaited = true;
    const waiting = new AbortController();
    const late = this.#core.clock.sleep(SETTINGS_MS, AbortSignal.any([signal, waiting.signal]));
    await Promise.race([this.whenDone().catch(() => {}), late]);
    waiting.abort();
    return true;
  }

  /** Resolves when the registry is not being told any more. */
  async rest(): Promise<void> {
    await this.#trying;
  }

  /** The job's try, once it is due: with backoff, parked after its limit. Never rejects. */
  async retry(): Promise<void> {
    const core = this.#core;
    try {
      const job = findJob(core.sql, REGISTER_JOB);
      if (!job || job.due > core.clock.now()) return;
      // Another object did it, and this job was written by one that did not know.
      if (this.isDone) return core.commit("job", () => removeJob(core.sql, job.id));
      if (await this.#try()) return;
      const isParked = core.commit("job", () => postponeJob(core.sql, job, core.clock.now()));
      if (isParked) core.platform.log("error", "registration_parked", {});
    } catch (error) {
      core.platform.log("error", "registration_failed", errorFacts(error));
    }
  }

  async #tryAll(): Promise<void> {
    for (let tried = 1; !(await this.#try()); tried++) {
      if (this.#core.isDeleted) throw sessionGone();
      if (tried === TRIES) {
        const message =
          "The message is stored, but the session could not be listed yet. Send it again with the same key.";
        throw new CarrelError("overloaded", message);
      }
      await this.#core.clock.sleep(BETWEEN_TRIES_MS);
    }
  }

  /** Whether it worked. */
  #try(): Promise<boolean> {
    this.#trying = this.#tryOnce();
    return this.#trying;
  }

  async #tryOnce(): Promise<boolean> {
    const core = this.#core;
    if (core.isDeleted) return false;
    try {
      const settings = await core.platform.register();
      core.commit("register", () => {
        writeState(core.sql, "registered", { at: core.clock.now() });
        removeJob(core.sql, REGISTER_JOB);
      });
      this.#isDone = true;
      learnSettings(core, settings);
      return true;
    } catch (error) {
      core.platform.log("warn", "registration_failed", errorFacts(error));
      return false;
    }
  }
}
