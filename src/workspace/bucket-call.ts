import type { BucketKey } from "../shared/bucket-key.ts";
import type { Failure } from "../shared/session-api.ts";
import type { WorkspaceApi } from "../shared/workspace-api.ts";

/** Asks the object of a bucket and gives what it answered; expected failures are thrown as `CarrelError`. */
export type Call = <Result extends { readonly ok: true } | Failure>(
  bucket: BucketKey,
  ask: (api: WorkspaceApi, key: BucketKey) => Promise<Result>,
) => Promise<Answered<Result>>;

/** An answer without what says that it is one. */
export type Answered<Result> = Omit<Extract<Result, { readonly ok: true }>, "ok">;
