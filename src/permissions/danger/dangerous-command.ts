import { globsOf } from "../glob-word.ts";
import { seePath } from "../path-spelling.ts";
import type { CommandLine } from "../shell/command-line.ts";
import { hasScript, type Invocation } from "../shell/programs.ts";
import type { SimpleCommand, Word } from "../shell/shell-text.ts";
import { Arguments } from "./arguments.ts";
import { isFetched } from "./checks.ts";
import { dangerOfGlob, dangerOfPath } from "./dangerous-path.ts";
import { runsDownload } from "./downloads.ts";
import { dangerOfProgram } from "./dangerous-program.ts";

/** What reads a command line or code from its input when it has no other. */
const READERS =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc)?sh|pwsh|python|pypy|perl|ruby|node|deno|bun|php|lua)[\d.]*$/;

/** Variables that make a program run or load something else; to show without a pager is nothing else. */
const START =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|ASKPASS|EXTERNAL_DIFF|EXEC_PATH|CONFIG\w*|TEMPLATE_DIR)|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS)=|^(?:(?:GIT_|MAN)?PAGER|(?:GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL)=(?!(?:cat|less|more|true|:|vim?|nano)?$)|^NODE_OPTIONS=.*(?:-r|--require|--import|--loader)\b/;

/** Code that deletes a directory with all that is in it. */
const DELETES_TREE =
  /\b(?:rmtree|rm_rf|remove_tree|rimraf)\b|\brm(?:dir)?(?:Sync)?\s*\([^)]*recursive|\brm\s+-\w*[rf]/;

/** Programs that change the files that they are given. */
const WRITERS =
  /^(?:rm|rmdir|mv|cp|ln|tee|touch|install|truncate|shred|dd|sed|perl|chmod|chown|chgrp|unlink|rsync|scp|vim?|nano|ed|ex|emacs|tar|unzip|patch|mkdir|curl|wget)$/;

const SQL =
  /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|sqlplus|clickhouse-client|cockroach|mongo|mongosh|duckdb|bq)$/;

/**
 * What is dangerous about a command line, as the end of a sentence; `null` when nothing is. What is
 * perhaps no command line may be one that cannot be read.
 */
export function dangerOfLine(line: CommandLine, isCommand: boolean): string | null {
  if (isCommand && !line.isUnderstood) return "cannot be read safely: something in it is left open";
  if (isForkBomb(line.text)) return "starts itself without end";
  const likely = line.invocations.filter(({ isLikely }) => isLikely);
  for (const invocation of likely) {
    const danger = dangerOfInvocation(invocation, line);
    if (danger !== null) return danger;
  }
  if (runsDownload(likely)) return "runs what was downloaded";
  const writing = new Set(likely.filter(isWriter).map(({ command }) => command));
  for (const command of line.all) {
    if (command.words.some(({ text }) => START.test(text)))
      return "decides what other programs run or load";
    const danger = dangerOfFiles(command, writing.has(command));
    if (danger !== null) return danger;
  }
  return null;
}

function dangerOfInvocation(invocation: Invocation, { text }: CommandLine): string | null {
  const { name, isPattern, command, written, arguments: words, hasMore } = invocation;
  const given = new Arguments(hasMore ? [...words, MORE] : words);
  // What the shell works out may be the worst.
  if (name === null && isFetched(written)) return "runs what another command prints";
  if (name === null || (isPattern && /[*?]/.test(name))) return dangerOfProgram("rm", given);
  if (command.isPiped && READERS.test(name) && !hasScript(words))
    return "runs what another command prints";
  if (READERS.test(name) && [...given.texts, ...command.inputs].some(isDeletion))
    return "deletes many files";
  if (SQL.test(name) && deletesData(text)) return "deletes data of a database";
  return dangerOfProgram(name, given);
}

/** Arguments that come from elsewhere. */
const MORE: Word = { text: "…", isComputed: true, isPattern: false };

const isDeletion = (code: string): boolean => DELETES_TREE.test(code);

function isWriter({ name, arguments: words }: Invocation): boolean {
  if (name === null || !WRITERS.test(name)) return false;
  const isEditor = name === "sed" || name === "perl";
  return !isEditor || words.some(({ text }) => /^-[a-z]*i|^--in-place/i.test(text));
}

const deletesData = (text: string): boolean =>
  text
    .split(";")
    .some(
      (part) =>
        /\b(?:drop\s+(?:database|schema|table|user|role|view|index|owned|collection)|truncate\s|dropdatabase|\.drop\()/i.test(
          part,
        ) ||
        (/\bdelete\s+from\b|\.deletemany\(/i.test(part) && !/\bwhere\b/i.test(part)),
    );

/** Dangerous files that a command changes, and secrets that it names at all. */
function dangerOfFiles({ words, redirects }: SimpleCommand, isWriting: boolean): string | null {
  const named = words
    .slice(1)
    .flatMap(({ text, isPattern }) => pathsIn(text).map((path) => ({ text: path, isPattern })));
  for (const { text, isPattern } of named) {
    const danger = dangerAt(text) ?? (isPattern ? dangerAtGlob(text) : null);
    if (danger && (danger.isSecret || isWriting))
      return `touches ${shown(text)}, which ${danger.why}`;
  }
  for (const { operator, target } of redirects) {
    const danger = dangerAt(target.text);
    if (danger && (danger.isSecret || operator !== "<"))
      return `touches ${shown(target.text)}, which ${danger.why}`;
  }
  return null;
}

/** A word, and what stands in it behind `=`, `:` or `@`. */
const pathsIn = (word: string): string[] => [
  word,
  ...["=", ":", "@"]
    .filter((mark) => word.includes(mark))
    .map((mark) => word.slice(word.lastIndexOf(mark) + 1)),
];

function dangerAt(text: string) {
  if (/[\s]/.test(text)) return null;
  const path = seePath(text);
  return path === null ? null : dangerOfPath(path);
}

function dangerAtGlob(text: string) {
  const dangers = globsOf(text.toLowerCase())
    .map(dangerOfGlob)
    .filter((danger) => danger !== null);
  return dangers.find(({ isSecret }) => isSecret) ?? dangers[0] ?? null;
}

/** A path as a person is shown it. */
export const shown = (text: string): string => {
  const clean = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/gu, " ");
  return clean.length > 80 ? `${clean.slice(0, 80)}…` : clean;
};

const MAX_NAME = 64;
const MAX_BODY = 200;

/** A function that pipes itself into itself, as `:(){ :|:& };:` does. */
function isForkBomb(text: string): boolean {
  const dense = text.replaceAll(/\s+/g, "");
  for (let at = dense.indexOf("(){"); at >= 0; at = dense.indexOf("(){", at + 1)) {
    const [name = ""] = /[^;&|(){}]+$/.exec(dense.slice(Math.max(0, at - MAX_NAME), at)) ?? [];
    const body = dense.slice(at + 3, at + 3 + MAX_BODY);
    if (
      name !== "" &&
      body.includes(`${name.replace(/^function/, "")}|${name.replace(/^function/, "")}`)
    )
      return true;
  }
  return false;
}
