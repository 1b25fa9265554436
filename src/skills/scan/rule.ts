import type { ScanFinding } from "../../shared/skill-facts.ts";

/** What the scanner looks for. Every expression is linear: it begins with what is rare, and each of its repetitions has a limit. */
export type ScanRule = Pick<ScanFinding, "rule" | "category" | "verdict" | "why"> & {
  /** In small letters: a text that has none of one of the lists is not searched. */
  readonly words: readonly (readonly string[])[];
  /** What has to stand there, one after the other, on one line. Each with the flag `g`. */
  readonly steps: readonly RegExp[];
  /** How far a step may be from the one before, in UTF-16 units; default 300. */
  readonly within?: number;
  /** The steps may be on different lines. Default: they may not. */
  readonly across?: boolean;
  /** Only in what looks like a program; default: everywhere. */
  readonly onlyPrograms?: boolean;
};

/** Between the words of a sentence, emphasised or broken as it may be. */
export const GAP = "[\\s*_\"'`>#-]{1,6}";

/** What may stand before the name of a program: who it runs as, and where it is. */
const BEFORE =
  "(?:sudo\\s{1,9}(?:-\\w{1,9}\\s{1,9}){0,3})?(?:/(?:usr/)?(?:local/)?bin/)?(?:env\\s{1,9})?";

/** A shell that reads code. */
export const SHELL = `${BEFORE}(?:(?:ba|z|k|da|a|fi)?sh|pwsh|powershell)(?![\\w.-])`;

/** The same, or another language. */
export const INTERPRETER = `${BEFORE}(?:(?:ba|z|k|da|a|fi)?sh|pwsh|powershell|python[\\d.]{0,5}|perl|ruby|node|php|iex|invoke-expression)(?![\\w.-])`;
