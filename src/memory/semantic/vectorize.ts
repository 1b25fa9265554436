import * as z from "zod";
import type { WorkersAiBinding } from "../../model/workers-ai.ts";
import type { BucketKey } from "../../shared/bucket-key.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { cutAt } from "../../shared/text.ts";
import type { Meaning, Meanings } from "./meanings.ts";

type Vector = {
  readonly id: string;
  readonly values: readonly number[];
  readonly namespace: string;
  readonly metadata: { readonly entry: string; readonly path: string };
};

/** What is used of a Vectorize index. */
export interface VectorizeBinding {
  upsert(vectors: readonly Vector[]): Promise<unknown>;
  deleteByIds(ids: readonly string[]): Promise<unknown>;
  query(
    vector: readonly number[],
    options: {
      readonly topK: number;
      readonly namespace: string;
      readonly returnMetadata: "all";
    },
  ): Promise<unknown>;
}

export type VectorizeOptions = {
  readonly ai: WorkersAiBinding;
  readonly index: VectorizeBinding;
  /** An embedding model of Workers AI; its dimensions are those of the index. Default `@cf/baai/bge-m3` (1,024), which knows many languages. */
  readonly model?: string;
  /** How long one call of the model may take, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
};

/** Texts in one call of the model. */
const BATCH = 50;
/** Ids in one deletion. */
const DELETED = 500;
/** What of a text counts, in UTF-16 units. */
const MAX_TEXT = 2_000;

const Embeddings = z.object({ data: z.array(z.array(z.number())) });
const Matches = z.object({
  matches: z.array(
    z.object({
      score: z.number(),
      metadata: z.object({ entry: z.string(), path: z.string() }),
    }),
  ),
});

/**
 * Meanings in Workers AI and Vectorize. Each bucket has a namespace of its own, named by a hash of its key, and the ids
 * of its vectors are hashes that hold the key.
 */
export function createVectorizeMeanings(options: VectorizeOptions): Meanings {
  const { ai, index, model = "@cf/baai/bge-m3", timeoutMs = 10_000 } = options;
  const embed = async (texts: readonly string[]): Promise<readonly (readonly number[])[]> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const input = { text: texts.map((text) => cutAt(text, MAX_TEXT)) };
    const { data } = Embeddings.parse(await ai.run(model, input, { signal }));
    if (data.length !== texts.length) throw new Error("the embedding model left texts out");
    return data;
  };
  return {
    async put(bucket, meanings) {
      const namespace = await namespaceOf(bucket);
      for (let from = 0; from < meanings.length; from += BATCH) {
        const batch = meanings.slice(from, from + BATCH);
        const vectors = await embed(batch.map(({ text }) => text));
        await index.upsert(await Promise.all(batch.map(toVector(bucket, namespace, vectors))));
      }
    },
    async remove(bucket, ids) {
      for (let from = 0; from < ids.length; from += DELETED) {
        const batch = ids.slice(from, from + DELETED);
        await index.deleteByIds(await Promise.all(batch.map((id) => vectorId(bucket, id))));
      }
    },
    async find(bucket, query, limit) {
      const [vector] = await embed([query]);
      if (!vector) return [];
      const namespace = await namespaceOf(bucket);
      const asked = { topK: Math.min(limit, 50), namespace, returnMetadata: "all" } as const;
      const { matches } = Matches.parse(await index.query(vector, asked));
      return matches.map(({ score, metadata }) => ({
        id: metadata.entry,
        path: metadata.path,
        score: Math.min(1, Math.max(0, score)),
      }));
    },
  };
}

const toVector =
  (bucket: BucketKey, namespace: string, vectors: readonly (readonly number[])[]) =>
  async ({ id, path }: Meaning, at: number): Promise<Vector> => ({
    id: await vectorId(bucket, id),
    values: vectors[at] ?? [],
    namespace,
    metadata: { entry: id, path },
  });

/** 64 characters, as long as a name may be there. */
const namespaceOf = (bucket: BucketKey): Promise<string> => hash(["namespace", bucket]);

const vectorId = (bucket: BucketKey, id: string): Promise<string> => hash([bucket, id]);

const hash = (parts: readonly string[]): Promise<string> =>
  sha256Hex(new TextEncoder().encode(JSON.stringify(parts)));
