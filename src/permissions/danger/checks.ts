import type { Arguments } from "./arguments.ts";

/** Whether a program would do something dangerous with these arguments. */
export type Check = (given: Arguments) => boolean;

/** Programs by their names, what is dangerous about them as the end of a sentence, and when. */
export type Danger = readonly [programs: string, what: string, check: Check];

export const always: Check = () => true;

/** These words stand among the operands, one behind the other. */
export const says =
  (...phrases: readonly string[]): Check =>
  (given) =>
    phrases.some((phrase) => given.says(phrase));

/** Some argument fits. */
export const some =
  (pattern: RegExp): Check =>
  (given) =>
    given.some(pattern);

/** Every argument fits, or there is none. */
export const only =
  (pattern: RegExp): Check =>
  (given) =>
    given.texts.every((text) => pattern.test(text));

export const anyOf =
  (...checks: readonly Check[]): Check =>
  (given) =>
    checks.some((check) => check(given));

export const allOf =
  (...checks: readonly Check[]): Check =>
  (given) =>
    checks.every((check) => check(given));

export const not =
  (check: Check): Check =>
  (given) =>
    !check(given);

export const has =
  (letter: string, name = ""): Check =>
  (given) =>
    given.has(letter, name);

/** The beginning of a machine, of a home or of where one is, or all that lies there. */
const BROAD =
  /^(?:\.{1,2}|~[^/]*|\$\{?HOME\}?|[a-z]:)?(?:[/\\]+|$)(?:(?:[*.]{1,2}|\.\*|\{,\.\}\*)[/\\]*)?$|^[*.]{1,2}$|^\.\*$|^\/[^/]+(?:\/[^/]+)?\/*\*?$|(?:^|\/)\.\.(?:\/|$)|^[~$]/i;

/** A place that holds more than one thing of somebody's. */
export const hasBroad: Check = (given) => given.operands.some((place) => BROAD.test(place));

const isTree = anyOf(has("r", "recursive"), has("R"), some(/^--no-preserve-root$/));

/** What cannot be told may be the worst place. */
export const removesTree: Check = anyOf(
  allOf(isTree, (given) => given.isComputed),
  allOf(anyOf(isTree, has("f", "force")), hasBroad),
);

/** A command gives the words that are run. */
export const runsSubstituted: Check = (given) =>
  given.words.some(({ isComputed, text }) => isComputed && /[`(]/.test(text));

/** Something is taken from elsewhere, or made from what nobody can read. */
export const isFetched = (text: string): boolean =>
  /[`(]/.test(text) &&
  /\b(?:curl|wget|fetch|aria2c|https?|base64|xxd|openssl|nc|ncat)\b/.test(text);

/** The same for one that takes them from elsewhere. */
export const runsFetched: Check = (given) =>
  given.words.some(({ isComputed, text }) => isComputed && isFetched(text));
