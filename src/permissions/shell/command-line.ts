import { once } from "../once.ts";
import { type Invocation, programsOf } from "./programs.ts";
import { readShell } from "./read-shell.ts";
import type { SimpleCommand } from "./shell-text.ts";

/** A command line, taken apart as far as that goes. */
export type CommandLine = {
  readonly text: string;
  /** The commands that stand in it. */
  readonly commands: readonly SimpleCommand[];
  /** These, and those of command lines that are given to a command. */
  readonly all: readonly SimpleCommand[];
  /** Every program that one of them may run. */
  readonly invocations: readonly Invocation[];
  /** The words that stand in it, whatever they are. */
  readonly words: () => ReadonlySet<string>;
  /** The same of code in other languages that it is given to run. */
  readonly codeWords: () => ReadonlySet<string>;
  /** It is commands one after another and nothing else. */
  readonly isPlain: boolean;
  /** False: something is left open, or lies too deep. */
  readonly isUnderstood: boolean;
  /** False: there may be more in it than was found. */
  readonly isWhole: boolean;
};

const MAX_DEPTH = 6;

/** How much is read in command lines that are given to commands: hostile ones could repeat a text without end. */
const MAX_NESTED = 200_000;

type Task = { readonly text: string; readonly depth: number };

/** Takes a command line apart, and those that its commands are given to run. Takes time of its length. */
export function readCommandLine(text: string): CommandLine {
  const { commands, isPlain, isUnderstood } = readShell(text);
  const all: SimpleCommand[] = [];
  const invocations: Invocation[] = [];
  const code: string[] = [];
  const tasks: Task[] = [];
  let isWhole = isUnderstood;
  let left = MAX_NESTED;
  const take = (found: readonly SimpleCommand[], depth: number): void => {
    for (const command of found) {
      const programs = programsOf(command);
      all.push(command);
      for (const invocation of programs.invocations) invocations.push(invocation);
      for (const part of programs.code) code.push(part);
      if (programs.readsCode) code.push(text);
      for (const nested of programs.nested) tasks.push({ text: nested, depth: depth + 1 });
      if (programs.isCut) isWhole = false;
    }
  };
  take(commands, 0);
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    left -= task.text.length + 1;
    if (task.depth > MAX_DEPTH || left < 0) {
      isWhole = false;
      break;
    }
    const inner = readShell(task.text);
    // It may be no command line at all.
    if (!inner.isUnderstood) code.push(task.text);
    take(inner.commands, task.depth);
  }
  return {
    text,
    commands,
    all,
    invocations,
    words: once(() => wordsOf([text])),
    codeWords: once(() => wordsOf(code)),
    isPlain,
    isUnderstood,
    isWhole,
  };
}

/** In lower case, also as they are without quotes and backslashes. */
function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = texts.flatMap((text) =>
    [text, text.replaceAll(/["'\\]/g, "")].flatMap((one) => one.toLowerCase().split(/[^\w.+*-]+/)),
  );
  return new Set(words.filter((word) => word !== ""));
}
