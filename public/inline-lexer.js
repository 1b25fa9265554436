import { safeHref, readTarget } from "./link.js";

/**
 * @typedef {import('./inline.js').Inline} Inline
 *
 * @typedef {{ kind: 'node', node: Inline }
 *   | { kind: 'mark', char: string, count: number, opens: boolean, closes: boolean }
 *   | OpenBracket
 *   | { kind: 'close', of: OpenBracket }} Token
 * @typedef {{ kind: 'open', isImage: boolean, address: string | null }} OpenBracket An address once it proved a link.
 */

const ENTITIES = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
const PLAIN = /[^\\`*_~[\]!<&hH\n]+/y;
const ENTITY =
  /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|hellip|mdash|ndash));/y;
const POINTED_ADDRESS = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/iy;
const LINE_BREAK_TAG = /<br ?\/?>/iy;
const BARE_ADDRESS = /https?:\/\/[^\s<>"`*|[\]\\]+/iy;
const RUN = /([*_~`])\1*/y;

/** Cuts text into tokens and pairs the brackets of links. */
export class Lexer {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.plain = "";
    /** @type {Token[]} */
    this.tokens = [];
    /** @type {OpenBracket[]} */
    this.brackets = [];
    /** Brackets below this index have a link inside, so they cannot be links. */
    this.taken = 0;
    this.backticks = backtickRuns(text);
  }

  read() {
    while (this.at < this.text.length) {
      const plain = this.match(PLAIN);
      if (plain) this.plain += plain[0];
      else if (!this.special(this.text[this.at] ?? "")) this.plain += this.text[this.at++];
    }
    this.flush();
    return this.tokens;
  }

  /** @param {RegExp} sticky */
  match(sticky) {
    sticky.lastIndex = this.at;
    const match = sticky.exec(this.text);
    if (match) this.at = sticky.lastIndex;
    return match;
  }

  /** @param {Token} token */
  push(token) {
    this.flush();
    this.tokens.push(token);
  }

  flush() {
    if (this.plain !== "")
      this.tokens.push({ kind: "node", node: { type: "text", text: this.plain } });
    this.plain = "";
  }

  /** Takes what starts with this character; `false` when it means nothing here. @param {string} char */
  special(char) {
    switch (char) {
      case "\\":
        return this.escape();
      case "`":
        return this.code();
      case "*":
      case "_":
      case "~":
        return this.marks();
      case "!":
        return this.text[this.at + 1] === "[" && this.openBracket(true);
      case "[":
        return this.openBracket(false);
      case "]":
        return this.closeBracket();
      case "<":
        return this.pointed();
      case "&":
        return this.entity();
      case "\n":
        return this.newline();
      default:
        return this.bareAddress();
    }
  }

  escape() {
    const next = this.text[this.at + 1];
    if (next === "\n") this.push({ kind: "node", node: { type: "break" } });
    else if (next !== undefined && /[!-/:-@[-`{-~]/.test(next)) this.plain += next;
    else return false;
    this.at += 2;
    return true;
  }

  /** A code span ends at the next run of as many backticks. */
  code() {
    const run = this.match(RUN)?.[0] ?? "`";
    const starts = this.backticks.get(run.length);
    while (starts && (starts.at(-1) ?? Infinity) < this.at) starts.pop();
    const end = starts?.at(-1);
    if (end === undefined) {
      this.plain += run;
      return true;
    }
    const inside = this.text.slice(this.at, end).replaceAll("\n", " ");
    const isPadded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    this.push({
      kind: "node",
      node: { type: "code", text: isPadded ? inside.slice(1, -1) : inside },
    });
    this.at = end + run.length;
    return true;
  }

  marks() {
    const before = this.text[this.at - 1] ?? " ";
    const run = this.match(RUN)?.[0] ?? "";
    const after = this.text[this.at] ?? " ";
    const char = run[0] ?? "";
    const isWord = char === "_" ? /[\p{L}\p{N}]/u : null;
    const opens = !/\s/.test(after) && !isWord?.test(before);
    const closes = !/\s/.test(before) && !isWord?.test(after);
    if ((opens || closes) && (char !== "~" || run.length === 2)) {
      this.push({ kind: "mark", char, count: run.length, opens, closes });
    } else this.plain += run;
    return true;
  }

  /** @param {boolean} isImage */
  openBracket(isImage) {
    /** @type {OpenBracket} */
    const bracket = { kind: "open", isImage, address: null };
    this.push(bracket);
    this.brackets.push(bracket);
    this.at += isImage ? 2 : 1;
    return true;
  }

  closeBracket() {
    const bracket = this.brackets.pop();
    const isFree = this.brackets.length >= this.taken || bracket?.isImage;
    this.taken = Math.min(this.taken, this.brackets.length);
    const target =
      bracket && isFree && this.text[this.at + 1] === "("
        ? readTarget(this.text, this.at + 1)
        : null;
    if (!bracket || !target) return false;
    bracket.address = target.address;
    if (!bracket.isImage) this.taken = this.brackets.length;
    this.push({ kind: "close", of: bracket });
    this.at = target.end;
    return true;
  }

  pointed() {
    if (this.match(LINE_BREAK_TAG)) {
      this.push({ kind: "node", node: { type: "break" } });
      return true;
    }
    const address = this.match(POINTED_ADDRESS)?.[1];
    return address !== undefined && this.link(address);
  }

  bareAddress() {
    if (/[\p{L}\p{N}]/u.test(this.text[this.at - 1] ?? "")) return false;
    const found = this.match(BARE_ADDRESS)?.[0];
    if (found === undefined) return false;
    const address = trimAddress(found);
    this.at -= found.length - address.length;
    return this.link(address);
  }

  /** @param {string} address */
  link(address) {
    const href = safeHref(address);
    const text = { type: /** @type {const} */ ("text"), text: address };
    this.push({
      kind: "node",
      node: href ? { type: "link", href, isImage: false, children: [text] } : text,
    });
    return true;
  }

  entity() {
    const match = this.match(ENTITY);
    if (!match) return false;
    const [, decimal, hex, name] = match;
    const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
    if (name !== undefined) this.plain += ENTITIES[/** @type {keyof typeof ENTITIES} */ (name)];
    else this.plain += code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    return true;
  }

  newline() {
    const isHard = this.plain.endsWith("  ");
    this.plain = this.plain.trimEnd();
    this.push({ kind: "node", node: isHard ? { type: "break" } : { type: "text", text: "\n" } });
    this.at++;
    return true;
  }
}

/** Where runs of backticks start, by length of the run, last first. @param {string} text */
function backtickRuns(text) {
  /** @type {Map<number, number[]>} */
  const runs = new Map();
  for (const match of text.matchAll(/`+/g)) {
    const starts = runs.get(match[0].length);
    if (starts) starts.push(match.index);
    else runs.set(match[0].length, [match.index]);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}

/** Without the punctuation of the sentence around it. @param {string} address */
function trimAddress(address) {
  let surplus = address.split(")").length - address.split("(").length;
  let end = address.length;
  for (; end > 0; end--) {
    const char = address[end - 1] ?? "";
    if (char === ")" ? surplus-- <= 0 : !/[.,;:!?'_~]/.test(char)) break;
  }
  return address.slice(0, end);
}
