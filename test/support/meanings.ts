import type { WorkersAiBinding } from "../../src/model/workers-ai.ts";
import {
  createVectorizeMeanings,
  type VectorizeBinding,
} from "../../src/memory/semantic/vectorize.ts";

const DIMENSIONS = 256;

/** Texts are alike as far as they share beginnings of words: an embedding model without a model. */
function embed(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
    let hash = 7;
    for (const unit of word.slice(0, 5))
      hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % DIMENSIONS;
    vector[hash] = (vector[hash] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** The two bindings of `createVectorizeMeanings` in memory: what is put shows at once. */
export class MeaningsLab {
  readonly vectors = new Map<string, Parameters<VectorizeBinding["upsert"]>[0][number]>();
  /** Texts that the model was asked about. */
  readonly embedded: string[] = [];
  /** Called before each call of either binding, which it may fail. */
  before: () => void = () => {};

  readonly ai: WorkersAiBinding = {
    run: async (_model, { text }) => {
      this.before();
      const texts = text as readonly string[];
      this.embedded.push(...texts);
      return { data: texts.map(embed) };
    },
  };

  readonly index: VectorizeBinding = {
    upsert: async (vectors) => {
      this.before();
      for (const vector of vectors) this.vectors.set(vector.id, vector);
    },
    deleteByIds: async (ids) => {
      this.before();
      for (const id of ids) this.vectors.delete(id);
    },
    query: async (vector, { topK, namespace }) => {
      this.before();
      const matches = [...this.vectors.values()]
        .filter((candidate) => candidate.namespace === namespace)
        .map(({ id, values, metadata }) => {
          const score = values.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
          return { id, score, metadata };
        })
        .toSorted((a, b) => b.score - a.score);
      return { count: topK, matches: matches.slice(0, topK) };
    },
  };

  readonly meanings = createVectorizeMeanings({ ai: this.ai, index: this.index });
}
