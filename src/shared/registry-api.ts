/** A session, as its user's registry shard lists it. */
export type RegisteredSession = {
  readonly agent: string;
  readonly user: string;
  readonly session: string;
  readonly createdAt: number;
};

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
export interface RegistryApi {
  /** Keeps the first time of a session that is registered already. */
  registerSession(session: RegisteredSession): Promise<void>;
  registerBucket(bucket: string, at: number): Promise<void>;
  markDirty(bucket: string, at: number): Promise<void>;
  /** The sessions of one user with one agent, by id. At most 500 a page. */
  sessions(
    user: string,
    agent: string,
    cursor: string | null,
  ): Promise<RegistryPage<RegisteredSession>>;
  /** All buckets of the shard, by key. At most 500 a page. */
  buckets(cursor: string | null): Promise<RegistryPage<RegisteredBucket>>;
}
