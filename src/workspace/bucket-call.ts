import type { BucketKey } from "../shared/bucket-key.ts";
import type { Failure } from "../shared/errors.ts";
import type { BucketApi } from "../shared/bucket-api.ts";

/** Asks the object of a bucket and gives what it answered; expected failures are thrown as `CarrelError`. */
export type Call = <Result extends { readonly ok: true } | Failure>(
  bucket: BucketKey,
  ask: (api: BucketApi, key: BucketKey) => Promise<Result>,
) => Promise<Answered<Result>>;

/** An answer without what says that it is one. */
export type Answered<Result> = Omit<Extract<Result, { readonly ok: true }>, "ok">;
