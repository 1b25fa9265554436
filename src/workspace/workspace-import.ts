import type { BucketKey } from "../shared/bucket-key.ts";
import { CarrelError } from "../shared/errors.ts";
import type { Change, ImportPage } from "../shared/workspace-changes.ts";
import type { Call } from "./bucket-call.ts";

/** Imports into the buckets of one workspace; `bucketFor` says in which one a path lies. */
export function importInto(
  buckets: readonly BucketKey[],
  bucketFor: (path: string) => BucketKey,
  call: Call,
) {
  return {
    async stageImport(id: string, { no, changes, whiteouts = [] }: ImportPage): Promise<void> {
      for (const bucket of buckets) {
        const isHere = (path: string) => bucketFor(path) === bucket;
        const page = {
          no,
          changes: changes.filter((change) => pathsOf(change).every(isHere)),
          whiteouts: whiteouts.filter(isHere),
        };
        await call(bucket, (api, key) => api.stageImport(key, id, page));
      }
    },
    async commitImport(id: string, by: string): Promise<number> {
      if (buckets.length > 1)
        for (const bucket of buckets)
          await call(bucket, (api, key) => api.checkImport(key, id, by));
      let files = 0;
      for (const [at, bucket] of buckets.entries()) {
        try {
          files += (await call(bucket, (api, key) => api.commitImport(key, id, by))).files;
        } catch (error) {
          throw at > 0 && error instanceof CarrelError ? halfDone(error) : error;
        }
      }
      return files;
    },
    async dropImport(id: string): Promise<void> {
      for (const bucket of buckets) await call(bucket, (api, key) => api.dropImport(key, id));
    },
  };
}

/** The paths that a change is about. */
export const pathsOf = (change: Change): string[] =>
  change.kind === "move" ? [change.path, change.to] : [change.path];

const halfDone = ({ code, message }: CarrelError): CarrelError =>
  new CarrelError(
    code,
    `The files were imported, but not the records of sessions (agents/, plans/, large_tool_results/): ${message} Send the whole archive again once that is mended; what is there already is not harmed.`,
  );
