import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { Point } from "../shared/point.ts";
import type { SessionNews, UserSettings } from "../shared/registry-api.ts";
import type { SessionLink } from "../shared/session-api.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Sql } from "../shared/sql.ts";

/** What a session needs from the platform. */
export type Platform = {
  readonly address: SessionAddress;
  readonly sql: Sql;
  readonly clock: Clock;
  /** Wakes the session at `at` (or soon after), also after a crash. One alarm: a later call replaces it. */
  readonly setAlarm: (at: number) => void;
  /** No alarm stands any more. */
  readonly clearAlarm: () => void;
  /** Resolves when everything written so far is durable; what is written without waiting may be lost as one. */
  readonly sync: () => Promise<void>;
  /** Keeps the object up while `work` runs, where the platform offers that. */
  readonly keepAlive: (work: Promise<void>) => void;
  /**
   * Tells the registry that this session exists; resolves when it knows, with what the user has set. May be repeated.
   */
  readonly register: () => Promise<UserSettings>;
  /** Tells the registry what a list shows of this session; resolves as `register` does. May be repeated. */
  readonly index: (news: SessionNews) => Promise<UserSettings>;
  /** The object of another session. */
  readonly link: (address: SessionAddress) => SessionLink;
  readonly newId: () => string;
  readonly point: Point;
  readonly log: Log;
};
