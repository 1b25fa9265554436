/** What one bucket may hold. Past a limit a change is refused whole (promise W16). */
export type BucketLimits = {
  readonly textBytes: number;
  readonly blobBytes: number;
  readonly files: number;
  /** All files but logs. */
  readonly bytes: number;
  readonly logBytes: number;
  /** Previous versions kept of one file. */
  readonly versions: number;
};

const MIB = 1024 * 1024;

export const defaultBucketLimits: BucketLimits = {
  textBytes: MIB,
  blobBytes: 25 * MIB,
  files: 2_000,
  bytes: 100 * MIB,
  logBytes: 100 * MIB,
  versions: 50,
};
