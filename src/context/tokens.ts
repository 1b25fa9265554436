import type { ToolSpec } from "../model/model.ts";
import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";

/** What providers charge for an image of usual size, whatever its bytes. */
const IMAGE_TOKENS = 1_600;

/** Role and separators of a message, and the frame of a call or result inside it. */
const FRAME_TOKENS = 4;

/** `tokenCost` counts in hundredths of a token. */
export const TOKEN = 100;

/**
 * About how many tokens a model would count, in any language: within 15 % of `o200k_base` for texts of some length, as
 * `test/context/tokens.test.ts` measures it, and usually within 7 %. One pass without allocation, about 10 ns a character.
 */
export const estimateTokens = (text: string): number => Math.ceil(tokenCost(text) / TOKEN);

/**
 * The same in hundredths of a token. Costs of whole lines, each with its line end, add up to that of all of them.
 *
 * Goes by how tokenizers part a text: words (a capital inside one begins another), three digits at a time, runs of signs,
 * of spaces, of a script. What each costs was fitted to `o200k_base` over prose, code, data and ids.
 */
export function tokenCost(text: string): number {
  let cost = 0;
  let before = LINE;
  // Units of the run that goes on, and of the one before it.
  let run = 0;
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    if (kind === before || (kind === LOWER && before === CAPITAL)) run += 1;
    else {
      last = run;
      run = 1;
    }
    cost += kind <= CAPITAL ? letterCost(code, kind, before, run, last) : 0;
    cost += kind > CAPITAL ? otherCost(code, kind, before, run, last) : 0;
    before = kind;
  }
  return cost;
}

/** The same for a whole message; an image is a fixed 1,600 tokens. */
export function estimateMessageTokens(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return FRAME_TOKENS + sum(message.content, contentTokens);
    case "assistant":
      return FRAME_TOKENS + sum(message.parts, stepTokens);
    case "tool":
      return FRAME_TOKENS + sum(message.results, resultTokens);
  }
}

/** What offering a tool costs in each request: its name, its description and the schema of its input, as JSON. */
export const estimateToolTokens = ({ name, description, inputSchema }: ToolSpec): number =>
  FRAME_TOKENS +
  estimateTokens(name) +
  estimateTokens(description) +
  estimateTokens(JSON.stringify(inputSchema));

// Kinds of units that are counted together, letters first.
const LOWER = 0;
const CAPITAL = 1;
const LINE = 2;
const SPACE = 3;
const DIGIT = 4;
const SIGN = 5;
/** Of alphabets with spaces between words, other than Latin. */
const LETTER = 6;
const HAN = 7;
const KANA = 8;
const HANGUL = 9;
const OTHER = 10;

function kindOf(code: number): number {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return LOWER;
    if (code === 0x20 || code === 0x09 || code === 0x0d) return SPACE;
    if (code >= 0x41 && code <= 0x5a) return CAPITAL;
    if (code >= 0x30 && code <= 0x39) return DIGIT;
    return code === 0x0a ? LINE : SIGN;
  }
  if (code < 0x250) return code >= 0xc0 ? LOWER : SIGN;
  if (code >= 0x370 && code < 0x590) return LETTER;
  if (code >= 0x1e00 && code < 0x1f00) return LOWER;
  if (code >= 0x3040 && code < 0x3100) return KANA;
  if ((code >= 0x3400 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00)) return HAN;
  return code >= 0xac00 && code < 0xd7b0 ? HANGUL : OTHER;
}

/** Of one more letter in a Latin word: its first costs most, then nothing up to the eighth. */
function letterCost(code: number, kind: number, before: number, run: number, last: number): number {
  // Letters with a mark are rare in what tokenizers learnt from.
  const mark = code < 0xc0 ? 0 : code < 0x100 ? 45 : 90;
  // A single sign is often one token with the word behind it.
  if (run === 1) return mark + (before === SIGN && last === 1 ? 70 : 94);
  const long = run > 8 ? 30 : 0;
  if (kind === CAPITAL) return mark + long + 14;
  // Capitals that run into small letters are no word as a rule: an id, or base64.
  return mark + long + (before === CAPITAL && run > 2 ? 210 : 0);
}

/** Of one more unit of a run of anything else. */
function otherCost(code: number, kind: number, before: number, run: number, last: number): number {
  switch (kind) {
    case LINE:
      // A blank line costs nothing, nor does a line end after a sign: they are one token with what is before.
      return before === LINE || before === SIGN || before === SPACE ? 0 : 92;
    case SPACE:
      // One space belongs to the word behind it; an indentation is a token.
      return run === 2 || run % 64 === 0 ? 100 : 0;
    case DIGIT:
      return (run % 3 === 1 ? 104 : 0) + (run === 1 && before === SPACE && last === 1 ? 110 : 0);
    case SIGN:
      if (run > 4) return 6;
      return run === 1 ? 94 : run === 2 ? 40 : run === 3 ? 0 : 60;
    case LETTER:
      return run === 1 ? 108 : run > 3 ? 16 : 0;
    case HAN:
      return run === 1 ? 144 : 60;
    case KANA:
      return run === 1 ? 79 : 51;
    case HANGUL:
      return run === 1 ? 94 : 66;
    default:
      return rareCost(code);
  }
}

/** Of wide punctuation, of half an emoji, of symbols, and of all other scripts. */
function rareCost(code: number): number {
  if ((code >= 0x3000 && code < 0x3040) || code >= 0xff00) return 120;
  if (code >= 0xd800 && code < 0xe000) return 85;
  return code >= 0x2000 && code < 0x2c00 ? 120 : 50;
}

const contentTokens = (part: ContentPart) =>
  part.type === "image" ? IMAGE_TOKENS : estimateTokens(part.text);

function stepTokens(part: StepPart): number {
  if (part.type !== "tool-call") return estimateTokens(part.text);
  return FRAME_TOKENS + estimateTokens(part.name) + estimateTokens(part.input);
}

const resultTokens = (result: ToolResult) =>
  FRAME_TOKENS + estimateTokens(result.name) + sum(result.content, contentTokens);

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += tokensOf(item);
  return total;
}
