import { stemmer } from "stemmer";
import { STOP_WORDS } from "./stop-words.ts";

/**
 * The words of a text, by which it is found. `words` say what it is about, in their order and as often as they stand
 * there. `common` are those that count only where nothing else was asked for: each stop word once, and the last
 * character of each run of Chinese, Japanese or Korean, so that every single character begins some word.
 */
export type TextWords = { readonly words: readonly string[]; readonly common: readonly string[] };

/** What a query asks for: words, and single characters with which words begin. */
export type QueryWords = {
  readonly words: readonly string[];
  readonly beginnings: readonly string[];
};

/** A longer word is known by its beginning, in UTF-16 units. */
const MAX_WORD = 64;
/** Words of one query that count. */
const MAX_QUERY = 64;

const ASCII = /^[\0-\x7f]*$/;
/** What English adds to a word after an apostrophe. */
const ENDING = /['’](?:s|t|m|d|ll|re|ve)\b/g;
const MARKS = /[\u0300-\u036f]/g;
/** Letters that are not made of another one and a mark. */
const LETTERS = /[ßæœøłđı]/g;
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
};
/** Numbers with signs in between, such as dates; runs of CJK; words of any other script. */
const TOKEN =
  /\p{Nd}+(?:[\-.:\/]\p{Nd}+)+|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]]+/gv;
const CJK = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]/v;
const ENGLISH = /^[a-z]{3,}$/;
const NUMBERS = /^\p{Nd}+[\-.:\/]/v;

/** Splits a text; equal texts give equal words, whatever their case, width, accents or endings. */
export function textWords(text: string): TextWords {
  const words: string[] = [];
  const common = new Set<string>();
  for (const token of tokensOf(text)) {
    if (STOP_WORDS.has(token)) common.add(token);
    else if (CJK.test(token)) {
      const chars = Array.from(token);
      for (const pair of pairsOf(chars)) words.push(pair);
      common.add(chars.at(-1) ?? token);
    } else for (const word of spelt(token)) words.push(word);
  }
  return { words, common: [...common] };
}

/** The words that two texts have to share to be about the same: those of `textWords` that say something. */
export const wordsOf = (text: string): readonly string[] => textWords(text).words;

/** The words of a query, each once. Stop words count only where there is nothing else. */
export function queryWords(query: string): QueryWords {
  const words = new Set<string>();
  const beginnings = new Set<string>();
  const common = new Set<string>();
  for (const token of tokensOf(query)) {
    if (STOP_WORDS.has(token)) common.add(token);
    else if (!CJK.test(token)) for (const word of spelt(token)) words.add(word);
    else {
      const chars = Array.from(token);
      if (chars.length === 1) beginnings.add(token);
      else for (const pair of pairsOf(chars)) words.add(pair);
    }
  }
  const asked = words.size + beginnings.size > 0 ? words : common;
  return { words: [...asked].slice(0, MAX_QUERY), beginnings: [...beginnings].slice(0, MAX_QUERY) };
}

function tokensOf(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const folded = ASCII.test(lower) ? lower : fold(lower);
  return folded.replace(ENDING, "").match(TOKEN) ?? [];
}

/** One spelling for full-width and half-width signs, and Latin letters without their marks. */
const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(LETTERS, (letter) => FOLDED[letter] ?? letter);

/** Two characters at a time: CJK has no spaces between words. One alone stays one. */
function pairsOf(chars: readonly string[]): string[] {
  if (chars.length === 1) return chars.slice();
  return chars.slice(1).map((char, at) => `${chars[at] ?? ""}${char}`);
}

/** A date or the like is one word, and its numbers are words, too. */
function spelt(token: string): string[] {
  if (ENGLISH.test(token)) return [stemmer(token.slice(0, MAX_WORD))];
  const word = token.slice(0, MAX_WORD);
  return NUMBERS.test(token) ? [word, ...(token.match(/\p{Nd}+/gv) ?? [])] : [word];
}
