import type { BucketKey } from "../../shared/bucket-key.ts";

/** A text by its meaning: its id is unique in its bucket. */
export type Meaning = { readonly id: string; readonly text: string; readonly path: string };

/** The same text in two files is two. */
export const meaningId = (path: string, entry: string): string => `${path}#${entry}`;

export type MeaningMatch = {
  readonly id: string;
  readonly path: string;
  /** How near it is to what was asked, from 0 to 1. */
  readonly score: number;
};

/**
 * Finds texts by what they mean. What was put shows some seconds later, and what was removed may still show so long: who
 * asks looks whether a match is still true. Buckets never see each other's texts. Every method may be repeated.
 */
export interface Meanings {
  put(bucket: BucketKey, meanings: readonly Meaning[]): Promise<void>;
  remove(bucket: BucketKey, ids: readonly string[]): Promise<void>;
  /** The nearest, at most `limit`, which is at most 50. */
  find(bucket: BucketKey, query: string, limit: number): Promise<readonly MeaningMatch[]>;
}
