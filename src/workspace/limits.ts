/** What one bucket may hold. Past a limit a change is refused whole (promise W16). */
export type BucketLimits = {
  readonly textBytes: number;
  readonly blobBytes: number;
  /** Files and bytes of all but logs. */
  readonly files: number;
  readonly bytes: number;
  readonly logs: number;
  readonly logBytes: number;
  /** Previous versions kept of one file. */
  readonly versions: number;
  /** Previous versions of all files, and their bytes. Past that old ones go: nothing is refused. */
  readonly versionRows: number;
  readonly versionBytes: number;
};

const MIB = 1024 * 1024;

export const defaultBucketLimits: BucketLimits = {
  textBytes: MIB,
  blobBytes: 25 * MIB,
  files: 2_000,
  bytes: 100 * MIB,
  logs: 10_000,
  logBytes: 100 * MIB,
  versions: 50,
  versionRows: 20_000,
  versionBytes: 100 * MIB,
};

/** The most bytes that one file other than a log may have. */
export const largestFile = ({ textBytes, blobBytes }: BucketLimits): number =>
  Math.max(textBytes, blobBytes);
