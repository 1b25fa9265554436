import type { Arguments } from "./arguments.ts";
import type { Danger } from "./checks.ts";
import { localDangers } from "./local-dangers.ts";
import { remoteDangers } from "./remote-dangers.ts";

const dangers: readonly Danger[] = [...localDangers, ...remoteDangers];

const namesOf = ([programs]: Danger): readonly string[] => programs.split(" ");

/** Each program with its dangers. */
const byProgram: ReadonlyMap<string, readonly Danger[]> = new Map(
  dangers
    .flatMap(namesOf)
    .map((name) => [name, dangers.filter((danger) => namesOf(danger).includes(name))]),
);

/** What is dangerous about running a program so, as the end of a sentence; `null` when nothing is. */
export function dangerOfProgram(name: string, given: Arguments): string | null {
  if (/^(?:mkfs|newfs)(?:[._]|$)/.test(name)) return "destroys data on a disk";
  const [, what] = (byProgram.get(name) ?? []).find(([, , check]) => check(given)) ?? [];
  return what ?? null;
}
