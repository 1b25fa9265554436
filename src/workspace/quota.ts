import { quotaExceeded } from "../shared/errors.ts";
import type { BucketLimits } from "./limits.ts";
import type { FileRow, Rows } from "./rows.ts";

/**
 * What a bucket holds: files that are there and their bytes, and logs and theirs, which have allowances of their own.
 * Whiteouts count as files of no bytes.
 */
export type Totals = {
  readonly files: number;
  readonly whiteouts: number;
  readonly bytes: number;
  readonly logs: number;
  readonly logBytes: number;
};

const NOTHING: Totals = { files: 0, whiteouts: 0, bytes: 0, logs: 0, logBytes: 0 };

type Counted = Pick<FileRow, "type" | "size"> | null;

/** What one file adds to the totals; nothing when it is absent. */
export function share(file: Counted): Totals {
  if (!file || file.type === "gone") return NOTHING;
  const { size } = file;
  return file.type === "log"
    ? { ...NOTHING, logs: 1, logBytes: size }
    : { ...NOTHING, files: 1, bytes: size };
}

/** The totals after `file` has taken the place of `before`. */
export function exchanged(totals: Totals, before: Counted, file: Counted): Totals {
  const [gone, come] = [share(before), share(file)];
  return {
    ...totals,
    files: totals.files - gone.files + come.files,
    bytes: totals.bytes - gone.bytes + come.bytes,
    logs: totals.logs - gone.logs + come.logs,
    logBytes: totals.logBytes - gone.logBytes + come.logBytes,
  };
}

/** The totals after a unit is hidden, or shows again. */
export const hidden = (totals: Totals, before: boolean, present: boolean): Totals => ({
  ...totals,
  whiteouts: totals.whiteouts - Number(before) + Number(present),
});

/** The totals of a bucket, in memory: counted anew only when something else than a change has written rows. */
export class BucketTotals {
  readonly #rows: Pick<Rows, "version" | "files" | "whiteouts">;
  #counted: { readonly version: number; readonly totals: Totals } | null = null;

  constructor(rows: Pick<Rows, "version" | "files" | "whiteouts">) {
    this.#rows = rows;
  }

  get totals(): Totals {
    if (this.#counted?.version !== this.#rows.version) {
      let totals = NOTHING;
      for (const row of this.#rows.files.values()) totals = exchanged(totals, null, row);
      for (const { present } of this.#rows.whiteouts.values())
        totals = hidden(totals, false, present);
      this.set(totals);
    }
    return this.#counted?.totals ?? share(null);
  }

  /** What a commit that has just been made leaves. */
  set(totals: Totals): void {
    this.#counted = { version: this.#rows.version, totals };
  }
}

const MIB = 1024 * 1024;

/** The same with what records of something that makes room may take beyond. */
export const withSpare = (limits: BucketLimits): BucketLimits => ({
  ...limits,
  files: limits.files + 64,
  bytes: limits.bytes + 4 * MIB,
});

const inMib = (bytes: number): string => (bytes / MIB).toFixed(1);

/**
 * Refuses what grows past a limit; a bucket that is over one may still shrink. Throws
 * `CarrelError('quota_exceeded')`.
 */
export function assertQuota(before: Totals, after: Totals, limits: BucketLimits): void {
  const names = (totals: Totals) => totals.files + totals.whiteouts;
  if (names(after) > limits.files && names(after) > names(before))
    throw quotaExceeded(
      `It may hold ${limits.files} files, with what it hides of lower layers, and would hold ${names(after)}`,
    );
  if (after.logs > limits.logs && after.logs > before.logs)
    throw quotaExceeded(`It may hold ${limits.logs} logs and would hold ${after.logs}`);
  for (const [name, what] of [
    ["bytes", "of files"],
    ["logBytes", "of logs"],
  ] as const) {
    if (after[name] > limits[name] && after[name] > before[name])
      throw quotaExceeded(
        `It may hold ${inMib(limits[name])} MiB ${what} and would hold ${inMib(after[name])}`,
      );
  }
}
