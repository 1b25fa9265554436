/** A piece of text to rank. `hints` (headings, file names) count half as much as the text. */
export type Passage = { readonly text: string; readonly hints: string };

export type Ranked<Item> = {
  readonly item: Item;
  readonly score: number;
  /** How much of the query it answers, weighted by how rare each word is: 0 to 1. */
  readonly coverage: number;
};

const STOP_WORDS =
  /^(?:a|about|after|all|also|am|an|and|any|are|as|at|be|been|but|by|can|could|describ|did|do|doe|does|exist|explain|for|from|get|give|goe|got|ha|had|handl|happen|has|have|he|her|his|how|i|if|in|into|is|it|its|just|kind|know|like|ly|many|may|me|mean|might|more|most|much|my|need|no|not|of|on|one|only|or|other|our|out|please|pleas|s|see|shall|she|should|so|some|such|summar|summariz|summaris|support|t|tell|than|that|the|their|them|then|there|these|they|thing|this|those|to|too|us|use|very|wa|want|was|we|were|what|when|where|which|while|who|why|will|with|work|would|you|your)$/;

/**
 * The words of `text` that say something, in their order: lower case, stop words left out, stemmed so that
 * `stores`, `stored` and `storing` are one. Chinese, Japanese and Korean text gives pairs of characters.
 */
export function termsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    if (isUnspaced(word)) return pairsOf(word);
    if (STOP_WORDS.test(word)) return [];
    const term = stem(word);
    return STOP_WORDS.test(term) ? [] : [term];
  });
}

/** Whether a text has Chinese, Japanese or Korean characters in it. */
export const isUnspaced = (text: string): boolean =>
  /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(text);

/** A light English stemmer: plural, -ed, -ing, -ation, -ment, -ly and a closing e or y. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const base = word
    .replace(/(?:ss)es$/, "ss")
    .replace(/ies$/, "y")
    .replace(/([^su])s$/, "$1");
  const root = base
    .replace(/(?<=[aeiouy].*[a-z])(?:ations?|ating|ated|ate|ingly|edly|ing|ed|ments?|ly)$/, "")
    .replace(/(?<=..)([bdfgmnprt])\1$/, "$1");
  return root.replace(/(?<=...)[ey]$/, "");
}

/** The items that share a word with `query`, best first; equal scores keep their order (BM25, k1 = 1.2, b = 0.75). */
export function rank<Item extends Passage>(query: string, items: readonly Item[]): Ranked<Item>[] {
  const wanted = [...new Set(termsOf(query))];
  const documents = items.map((item) => countTerms(item));
  const average =
    documents.reduce((sum, document) => sum + document.length, 0) / (documents.length || 1);
  const weights = wanted.map((term) => {
    const having = documents.filter((document) => document.counts.has(term)).length;
    return { term, weight: Math.log(1 + (items.length - having + 0.5) / (having + 0.5)) };
  });
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);

  return items
    .flatMap((item, at) => {
      const document = documents[at];
      if (!document) return [];
      let score = 0;
      let covered = 0;
      for (const { term, weight } of weights) {
        const count = document.counts.get(term) ?? 0;
        if (count === 0) continue;
        const norm = 1.2 * (0.25 + (0.75 * document.length) / average);
        score += (weight * count * 2.2) / (count + norm);
        covered += weight;
      }
      return score > 0 ? [{ item, score, coverage: covered / all }] : [];
    })
    .toSorted((a, b) => b.score - a.score);
}

function countTerms(passage: Passage): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>();
  const text = termsOf(passage.text);
  const hints = termsOf(passage.hints);
  for (const term of text) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const term of hints) counts.set(term, (counts.get(term) ?? 0) + 0.5);
  return { counts, length: text.length + hints.length / 2 };
}

function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
