/** A bucket that has something for upkeep, as its shard of the registry offers it. */
export type DirtyBucket = {
  readonly bucket: string;
  /** Rises with everything that the bucket tells: what is noted for an older one leaves it dirty. */
  readonly dirtyAt: number;
  /** When the bucket last told of a change, in milliseconds. */
  readonly changedAt: number;
  /** How often in a row its upkeep failed. */
  readonly attempts: number;
};

/** What came of a bucket's upkeep. Times are in milliseconds; `why` is a sentence for operators. */
export type UpkeepOutcome =
  /** Nothing is left to do; at `lookAt` something will be, also if the bucket tells of nothing until then. */
  | { readonly kind: "clean"; readonly lookAt: number | null }
  /** Something is left; not before `until`, if that is known. */
  | { readonly kind: "later"; readonly until: number | null; readonly why: string }
  | { readonly kind: "failed"; readonly why: string }
  /** No agent of this deployment is responsible for it. */
  | { readonly kind: "unknown"; readonly why: string }
  /** The bucket was erased. */
  | { readonly kind: "gone" };

export type UpkeepNote = Pick<DirtyBucket, "bucket" | "dirtyAt" | "attempts"> & {
  readonly outcome: UpkeepOutcome;
};

/** What waits for upkeep in a shard. */
export type Backlog = {
  /** At most 10,000 are counted. */
  readonly dirty: number;
  /** Since when the first of them waits; `null` when none does. */
  readonly since: number | null;
  /** At most 20 whose upkeep does not get done, by key. */
  readonly troubled: readonly {
    readonly bucket: string;
    readonly attempts: number;
    readonly why: string;
    /** When it is tried again; `null`: parked until the bucket changes or an admin asks. */
    readonly until: number | null;
  }[];
};

/** How far a pass through all shards has come: in the shard with this number, after this bucket. */
export type PassPlace = { readonly shard: number; readonly cursor: string | null };

/** Who wants to go on with upkeep, and in which slot of time. `again`: also when the slot had its pass. */
export type PassRequest = {
  readonly slot: number;
  readonly holder: string;
  readonly now: number;
  readonly again: boolean;
};

/**
 * `go`: the pass is the holder's until its lease ends, and may be one of an earlier slot that was not finished; `isNew`:
 * this holder has begun it, and is still at its beginning. `busy`: it is somebody else's until then. `done`: the slot had
 * its pass.
 */
export type PassClaim =
  | {
      readonly state: "go";
      readonly slot: number;
      readonly place: PassPlace;
      readonly isNew: boolean;
    }
  | { readonly state: "busy"; readonly until: number }
  | { readonly state: "done" };

/** What a pass did: buckets that were looked at, runs, entries that they changed, files that were removed, and so on. */
export type PassCounts = {
  readonly buckets: number;
  readonly runs: number;
  readonly changed: number;
  readonly removed: number;
  readonly later: number;
  readonly failed: number;
  /** Those that no agent is responsible for. */
  readonly skipped: number;
};

export type PassSummary = PassCounts & {
  readonly slot: number;
  readonly startedAt: number;
  /** `null`: it goes on. */
  readonly endedAt: number | null;
  readonly place: PassPlace;
};

/** A step of a pass: from where to where (`null`: it is over), and what was done on the way. */
export type PassStep = {
  readonly holder: string;
  readonly from: PassPlace;
  readonly to: PassPlace | null;
  readonly counts: PassCounts;
  readonly now: number;
};

/** What upkeep asks of a shard of the registry, over RPC. Every call may be repeated. */
export interface UpkeepApi {
  /** Notes that a bucket has something for upkeep, and registers it if need be. `at`: when (ms). */
  markDirty(bucket: string, at: number): Promise<void>;
  /**
   * Buckets that want upkeep now, by key and after `cursor`; at most 500. One that failed or was put off is left out until
   * its time.
   */
  dirtyBuckets(cursor: string | null, limit: number, now: number): Promise<DirtyPage>;
  /** One bucket, whenever it wants upkeep; `null` when it does not. */
  dirtyBucket(bucket: string): Promise<DirtyBucket | null>;
  /** Writes down what came of buckets. One that has told of more since it was read stays dirty. */
  noteUpkeep(notes: readonly UpkeepNote[], now: number): Promise<void>;
  backlog(): Promise<Backlog>;
  /** Takes or takes over the pass. This and what follows is asked of one shard only: see `passShard`. */
  claimPass(request: PassRequest): Promise<PassClaim>;
  /** Goes on or ends; whether the pass still is the holder's. A step counts once. */
  movePass(step: PassStep): Promise<boolean>;
  /** Lets others go on at once. */
  leavePass(holder: string): Promise<void>;
  /** The newest first, at most 20. */
  passes(): Promise<readonly PassSummary[]>;
}

/** `cursor` `null`: the last page. */
export type DirtyPage = {
  readonly items: readonly DirtyBucket[];
  readonly cursor: string | null;
};
