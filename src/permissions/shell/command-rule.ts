import { fits, lettersOf, ONE, parseStars, RUN, type Wildcard, wildcardOf } from "../wildcard.ts";
import type { CommandLine } from "./command-line.ts";
import { type Invocation, isAssignment, nameOf } from "./programs.ts";
import { readShell } from "./read-shell.ts";
import type { SimpleCommand, Word } from "./shell-text.ts";

/** The first words of commands, in which each `*` stands for any characters. */
export type CommandPattern = {
  readonly words: readonly Wildcard[];
  /** The first one without directories, in lower case; `null`: any. */
  readonly program: Wildcard | null;
  /** Those behind it that are no options. */
  readonly operands: readonly Wildcard[];
  readonly options: readonly Option[];
  /** All of them, to look for in what is not a command line. */
  readonly texts: ReadonlySet<string>;
};

/** `-r` is `--recursive`; each may be `null`. `text`: one with a value, which counts whole. */
type Option = {
  readonly letter: string | null;
  readonly name: string | null;
  readonly text: string | null;
};

/** Letters that mean the same everywhere where they are dangerous. */
const NAMES: Readonly<Record<string, string>> = { r: "recursive", f: "force" };

/** The pattern; `null` for what is not the beginning of one plain command. A `*` at its end says nothing more. */
export function parseCommandPattern(text: string): CommandPattern | null {
  const { commands, isPlain } = readShell(text);
  const [command] = commands;
  if (!isPlain || !command || commands.length > 1 || command.redirects.length > 0) return null;
  const [first] = command.words;
  if (!first || isAssignment(first)) return null;
  const written = command.words.map((word) => word.text);
  while (written.at(-1) === "*") written.pop();
  const [program, ...rest] = written;
  return {
    words: written.map(parseStars),
    program:
      program === undefined ? null : parseStars(nameOf({ ...first, isPattern: false }) ?? ""),
    operands: rest.filter((word) => !isOption(word)).map((word) => parseStars(word.toLowerCase())),
    options: rest.filter(isOption).flatMap(toOptions),
    texts: new Set(written.map(baseOf)),
  };
}

/** Whether every command of the line begins so, and nothing else is in it. */
export const coversLine = ({ words }: CommandPattern, line: CommandLine): boolean =>
  line.isPlain &&
  line.commands.length > 0 &&
  line.commands.every((command) => begins(words, command));

function begins(pattern: readonly Wildcard[], { words }: SimpleCommand): boolean {
  const [program] = words;
  return (
    program !== undefined &&
    !program.isPattern &&
    pattern.every((expected, at) => {
      const word = words[at];
      return word !== undefined && fits(expected, word.text);
    })
  );
}

/**
 * Whether some command of the line may begin so, in whatever way it is written. What was not understood may; where the
 * text is perhaps no command line at all, only if the program is in it.
 */
export function mayRun(pattern: CommandPattern, line: CommandLine, isCommand: boolean): boolean {
  const mayHide =
    isCommand ||
    pattern.program === null ||
    [...line.words()].some((word) => isNamed(pattern, word));
  if (mayHide && (!line.isUnderstood || !line.isWhole)) return true;
  return (
    line.invocations.some(
      (invocation) => (mayHide || invocation.name !== null) && mayBegin(pattern, invocation),
    ) || sharesWord(pattern, line.codeWords())
  );
}

const isNamed = ({ program }: CommandPattern, word: string): boolean =>
  program !== null && fits(program, word);

/** A program that the shell works out may be any, with any arguments. */
function mayBegin(pattern: CommandPattern, invocation: Invocation): boolean {
  if (invocation.name === null) return true;
  if (!isProgram(pattern.program, invocation.name, invocation.isPattern)) return false;
  return hasOperands(pattern.operands, invocation) && hasOptions(pattern.options, invocation);
}

const isProgram = (program: Wildcard | null, name: string, isPattern: boolean): boolean =>
  program === null || fits(program, name) || (isPattern && mayBecome(name, program));

/** In this order; between them there may be options, each with a word of its own. */
function hasOperands(operands: readonly Wildcard[], invocation: Invocation): boolean {
  let found: readonly number[] = [0];
  let isBehindOption = false;
  for (const word of invocation.arguments) {
    if (found.includes(operands.length) || mayBeAny(word)) return true;
    const text = word.text.toLowerCase();
    if (isOption(text)) {
      isBehindOption = true;
      continue;
    }
    const isNext = (at: number): boolean => {
      const expected = operands[at];
      return (
        expected !== undefined &&
        (fits(expected, text) || (word.isPattern && mayBecome(text, expected)))
      );
    };
    const further = found.filter(isNext).map((at) => at + 1);
    found = isBehindOption ? [...new Set([...found, ...further])] : further;
    if (found.length === 0) return false;
    isBehindOption = false;
  }
  return found.includes(operands.length) || invocation.hasMore;
}

function hasOptions(options: readonly Option[], invocation: Invocation): boolean {
  if (options.length === 0 || invocation.hasMore) return true;
  const given = invocation.arguments;
  return options.every((option) => given.some((word) => mayBeAny(word) || isGiven(option, word)));
}

/** What the shell puts there may be any words. */
const mayBeAny = ({ isComputed, isPattern, text }: Word): boolean =>
  isComputed || (isPattern && text.includes("{") && text !== "{}");

function isGiven({ letter, name, text }: Option, word: Word): boolean {
  if (text !== null) return word.text === text;
  if (!isOption(word.text)) return false;
  // A name may be cut, and stand behind one dash or two.
  const [long = ""] = word.text.replace(/^--?/, "").split("=", 1);
  if (name !== null && long.length > 0 && name.startsWith(long) && word.text.startsWith("--"))
    return true;
  if (word.text.startsWith("--")) return false;
  return (
    (name !== null && long === name) ||
    (letter !== null && (long.includes(letter) || (letter === "r" && long.includes("R"))))
  );
}

function toOptions(word: string): Option[] {
  if (/[=*]/.test(word)) return [{ letter: null, name: null, text: word }];
  if (word.startsWith("--")) {
    const name = word.slice(2);
    const letter = Object.keys(NAMES).find((one) => NAMES[one] === name) ?? null;
    return [{ letter, name, text: null }];
  }
  return Array.from(word.slice(1), (given) => {
    const letter = given === "R" ? "r" : given;
    return { letter, name: NAMES[letter] ?? null, text: null };
  });
}

const isOption = (word: string): boolean => /^-[^-]|^--./.test(word);

function mayBecome(text: string, expected: Wildcard): boolean {
  if (/[[{]/.test(text)) return true;
  return fits(parseShellPattern(text), lettersOf(expected));
}

const parseShellPattern = (text: string): Wildcard =>
  wildcardOf(Array.from(text, (char) => (char === "*" ? RUN : char === "?" ? ONE : char)));

const baseOf = (word: string): string => word.slice(word.lastIndexOf("/") + 1).toLowerCase();

const sharesWord = ({ texts, words }: CommandPattern, found: ReadonlySet<string>): boolean =>
  found.size > 0 && (words.length === 0 || [...texts].some((text) => found.has(text)));
