import type { UpkeepApi } from "./upkeep-api.ts";

/** A session, as its user's registry shard lists it. */
export type RegisteredSession = {
  readonly agent: string;
  readonly user: string;
  readonly session: string;
  readonly createdAt: number;
};

/** What a list of sessions shows of one. */
export type SessionSummary = {
  readonly session: string;
  readonly title: string;
  readonly createdAt: number;
  /** When a turn last ended, or began to wait. */
  readonly updatedAt: number;
  /** Whether it waits for a person. */
  readonly isWaiting: boolean;
};

/** What is brought up to date in the list. */
export type SessionNews = {
  readonly title: string;
  /** When all of this was so: the newest wins, so that late news change nothing. */
  readonly at: number;
  /** As in `SessionSummary`. */
  readonly updatedAt: number;
  readonly isWaiting: boolean;
};

/** What a user has chosen for all agents. */
export type UserSettings = {
  /** An IANA time zone; `null`: none was chosen. */
  readonly timeZone: string | null;
};

/** Tokens that a turn used; `id` names it among all sessions of the user, so that it counts once. */
export type Spent = { readonly id: string; readonly tokens: number };

/** A bucket by its key; `dirtyAt` is when it last told that it has something for upkeep. */
export type RegisteredBucket = {
  readonly bucket: string;
  readonly createdAt: number;
  readonly dirtyAt: number | null;
};

/** Pass `cursor` for the next page; `null` on the last. */
export type RegistryPage<Item> = {
  readonly items: readonly Item[];
  readonly cursor: string | null;
};

/**
 * What one shard of the registry answers to, over RPC. Objects cannot be enumerated, so whatever exists is
 * registered here before its first answer. Every call may be repeated.
 */
export interface RegistryApi extends UpkeepApi {
  /** Keeps the first time of a session that is registered already. Gives what its user has chosen. */
  registerSession(session: RegisteredSession): Promise<UserSettings>;
  /** Ignored for a session that is not registered, which may have been removed meanwhile. Gives what its user has chosen. */
  updateSession(
    agent: string,
    user: string,
    session: string,
    news: SessionNews,
  ): Promise<UserSettings>;
  /** A session that is not there is as good. */
  removeSession(agent: string, user: string, session: string): Promise<void>;
  /** The sessions of one user with one agent, the newest first. At most 100 a page. */
  listSessions(
    user: string,
    agent: string,
    cursor: string | null,
    limit: number,
  ): Promise<RegistryPage<SessionSummary>>;
  settings(user: string): Promise<UserSettings>;
  /** In place of what the user had chosen before. */
  setSettings(user: string, settings: UserSettings): Promise<void>;
  /** Counts tokens for a user's day (`2026-11-30`, UTC), each turn once. */
  recordSpent(user: string, day: string, spent: readonly Spent[]): Promise<void>;
  /** Tokens that a user's turns of that day have used so far. */
  spent(user: string, day: string): Promise<number>;
  registerBucket(bucket: string, at: number): Promise<void>;
  /** A bucket that is not there is as good. */
  removeBucket(bucket: string): Promise<void>;
  /** The sessions of one user with one agent, by id. At most 500 a page. */
  sessions(
    user: string,
    agent: string,
    cursor: string | null,
  ): Promise<RegistryPage<RegisteredSession>>;
  /** All buckets of the shard, by key. At most 500 a page. */
  buckets(cursor: string | null): Promise<RegistryPage<RegisteredBucket>>;
}
