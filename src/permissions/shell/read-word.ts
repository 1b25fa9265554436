import { decodeAnsi } from "./ansi-text.ts";
import type { Word } from "./shell-text.ts";

/** What a word may hold that is no word itself, and who reads it. */
export type Inner = {
  /** Commands up to the closing bracket. */
  readonly list: () => void;
  /** A text that is a command line. */
  readonly nested: (text: string) => void;
  /** Something is left open, or lies too deep. */
  readonly unclear: () => void;
  /** The shell puts something in, or shells differ. */
  readonly computed: () => void;
};

const MAX_DEPTH = 40;

/** Goes through a text word by word; `at` is where it stands. */
export class WordReader {
  at = 0;
  readonly #text: string;
  readonly #decodesAnsi: boolean;
  readonly #inner: Inner;
  #isComputed = false;
  #depth = 0;

  /** `decodesAnsi`: `$'…'` is one text with escapes, and not a `$` with a quoted text behind it. */
  constructor(text: string, decodesAnsi: boolean, inner: Inner) {
    this.#text = text;
    this.#decodesAnsi = decodesAnsi;
    this.#inner = inner;
  }

  /** The word here; `null` when there is none. */
  read(): Word | null {
    const isComputedOutside = this.#isComputed;
    this.#isComputed = false;
    const from = this.at;
    let text = "";
    let isPattern = false;
    let isEmpty = true;
    for (let char = this.#text[from]; isInWord(char); char = this.#text[this.at]) {
      const skipped = char === "\\" && this.#text[this.at + 1] === "\n";
      if (!skipped) isEmpty = false;
      if (/[*?[{]/.test(char)) isPattern = true;
      text += this.#piece(char);
    }
    const isComputed = this.#isComputed;
    this.#isComputed = isComputedOutside || isComputed;
    return isEmpty ? null : { text, isComputed, isPattern };
  }

  #piece(char: string): string {
    switch (char) {
      case "\\":
        return this.#escaped();
      case "'":
        return this.#literal();
      case '"':
        this.at += 1;
        return this.quoted('"');
      case "`":
        return this.#backtick();
      case "$":
        return this.#dollar(false);
      default:
        return this.#plain();
    }
  }

  /** Characters up to the next one that may mean something, at least one. */
  #plain(): string {
    const from = this.at;
    do this.at += 1;
    while (isPlain(this.#text.charCodeAt(this.at)));
    return this.#text.slice(from, this.at);
  }

  /** Text in which only `$`, backticks and some backslashes are special, behind what closes it; `null` is the end. */
  quoted(close: '"' | null): string {
    let text = "";
    for (let char = this.#text[this.at]; char !== undefined; char = this.#text[this.at]) {
      if (char === close) {
        this.at += 1;
        return text;
      }
      if (char === "\\" && !/[$`"\\\n]/.test(this.#text[this.at + 1] ?? "")) {
        text += char;
        this.at += 1;
      } else if (char === "\\") text += this.#escaped();
      else if (char === "`") text += this.#backtick();
      else if (char === "$") text += this.#dollar(true);
      else {
        text += char;
        this.at += 1;
      }
    }
    if (close !== null) this.#inner.unclear();
    return text;
  }

  #escaped(): string {
    const next = this.#text[this.at + 1];
    this.at += 2;
    if (next === undefined) this.#inner.unclear();
    return next === undefined || next === "\n" ? "" : next;
  }

  #literal(): string {
    const end = this.#text.indexOf("'", this.at + 1);
    if (end < 0) this.#inner.unclear();
    const text = this.#text.slice(this.at + 1, end < 0 ? undefined : end);
    this.at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #backtick(): string {
    const from = this.at;
    let inner = "";
    for (this.at += 1; this.at < this.#text.length; this.at += 1) {
      const char = this.#text[this.at] ?? "";
      if (char === "`") break;
      const next = this.#text[this.at + 1] ?? "";
      const isEscape = char === "\\" && /[$`\\]/.test(next);
      inner += isEscape ? next : char;
      if (isEscape) this.at += 1;
    }
    if (this.at >= this.#text.length) this.#inner.unclear();
    this.at += 1;
    this.#inner.nested(inner);
    return this.#computed(from);
  }

  #dollar(isQuoted: boolean): string {
    const from = this.at;
    const next = this.#text[from + 1] ?? "";
    if (next === "'" && !isQuoted && this.#decodesAnsi) return this.#ansi();
    this.at += 1;
    // A translated string is a quoted one to bash.
    if (next === '"' && !isQuoted) {
      this.#inner.computed();
      return "";
    }
    if (next === "(") {
      this.at += 1;
      this.#inner.list();
    } else if (next === "{") {
      this.#braces();
    } else if (next === "[" || /[\w?!#@*$-]/.test(next)) {
      this.at += 1;
      while (/\w/.test(next) && /\w/.test(this.#text[this.at] ?? "")) this.at += 1;
    } else {
      return "$";
    }
    return this.#computed(from);
  }

  /** Up to the brace that closes a variable; what is in it may hold commands. */
  #braces(): void {
    this.#depth += 1;
    this.at += 1;
    if (this.#depth > MAX_DEPTH) {
      this.#inner.unclear();
      this.at = this.#text.length;
    }
    for (let char = this.#text[this.at]; char !== "}"; char = this.#text[this.at]) {
      if (char === undefined) {
        this.#inner.unclear();
        break;
      }
      // Whether a quote in here is one depends on what stands around it.
      if (char === "'") this.#inner.unclear();
      this.#piece(char);
    }
    this.at += 1;
    this.#depth -= 1;
  }

  #ansi(): string {
    this.#inner.computed();
    const from = this.at + 2;
    let end = from;
    while (end < this.#text.length && this.#text[end] !== "'")
      end += this.#text[end] === "\\" ? 2 : 1;
    if (end >= this.#text.length) this.#inner.unclear();
    this.at = end + 1;
    return decodeAnsi(this.#text.slice(from, end));
  }

  #computed(from: number): string {
    this.#isComputed = true;
    this.#inner.computed();
    return this.#text.slice(from, this.at);
  }
}

/** Letters, digits, and what never means anything to a shell. */
const isPlain = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x2b && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a);

const isInWord = (char: string | undefined): char is string =>
  char !== undefined && !/[ \t\n;&|()<>]/.test(char);
