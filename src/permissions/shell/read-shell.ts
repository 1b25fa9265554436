import { HereDocuments } from "./here-documents.ts";
import type { OpenCommand, ShellText, SimpleCommand } from "./shell-text.ts";
import { WordReader } from "./read-word.ts";

const MAX_DEPTH = 12;

/** Operators that end a command, longest first. The ones that begin with `|` give its output to the next one. */
const SEPARATORS = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "\n"] as const;

const REDIRECTS = [
  "&>>",
  "<<<",
  "<<-",
  "&>",
  ">>",
  ">|",
  ">&",
  "<>",
  "<&",
  "<<",
  ">",
  "<",
] as const;

/** How shells differ: what `&>` and `$'…'` are to bash is something else to a POSIX shell. */
type Dialect = { readonly redirectsBoth: boolean; readonly decodesAnsi: boolean };

/** Reads a command line from its beginning to its end, whatever is in it, in each way in which some shell reads it. */
export function readShell(text: string): ShellText {
  // Shells drop NUL.
  const cleaned = text.replaceAll("\0", "");
  const isClean = !/[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
  // A carriage return ends a line for some, and is a character like any for others.
  const texts = cleaned.includes("\r") ? [cleaned, cleaned.replaceAll("\r", "\n")] : [cleaned];
  const readings = texts.flatMap((one) =>
    dialectsOf(one).map((dialect) => readOnce(one, 0, dialect)),
  );
  return {
    commands: readings.flatMap(({ commands }) => commands),
    isPlain: isClean && readings.every((one) => one.isPlain && one.isUnderstood),
    isUnderstood: readings.every(({ isUnderstood }) => isUnderstood),
  };
}

/** Those that read the text in different ways. */
function dialectsOf(text: string): readonly Dialect[] {
  const both = text.includes("&>") ? [true, false] : [true];
  const ansi = text.includes("$'") ? [true, false] : [true];
  return both.flatMap((redirectsBoth) =>
    ansi.map((decodesAnsi) => ({ redirectsBoth, decodesAnsi })),
  );
}

function readOnce(text: string, depth: number, dialect: Dialect): ShellText {
  const reader = new ShellReader(text, depth, dialect);
  reader.list(null, false);
  return reader.end();
}

/** The commands whose output a here-document takes in. */
function readDocument(body: string, depth: number, dialect: Dialect): ShellText {
  const reader = new ShellReader(body, depth, dialect);
  reader.document();
  return reader.end();
}

class ShellReader {
  readonly commands: SimpleCommand[] = [];
  isPlain = true;
  isUnderstood = true;
  readonly #text: string;
  readonly #words: WordReader;
  readonly #documents = new HereDocuments();
  readonly #dialect: Dialect;
  #depth: number;

  constructor(text: string, depth: number, dialect: Dialect) {
    this.#text = text;
    this.#depth = depth;
    this.#dialect = dialect;
    this.#words = new WordReader(text, dialect.decodesAnsi, {
      list: () => this.list(")", false),
      nested: (inner) => this.#include(readOnce(inner, this.#depth + 1, this.#dialect)),
      unclear: () => (this.isUnderstood = false),
      computed: () => (this.isPlain = false),
    });
  }

  /** Commands up to the end, or behind the bracket that closes them. */
  list(close: ")" | null, isPiped: boolean): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      this.isUnderstood = false;
      this.#words.at = this.#text.length;
    }
    let command = begin(isPiped);
    for (;;) {
      const char = this.#text[this.#words.at];
      if (char === undefined || (char === ")" && close !== null)) break;
      if (char === " " || char === "\t") this.#words.at += 1;
      else if (char === "#") this.#comment();
      else if (char === "(" || char === ")") command = this.#bracket(char, command);
      else if (!this.#redirect(command)) command = this.#separatorOrWord(command);
    }
    this.#finish(command);
    if (close !== null) this.#close();
    this.#depth -= 1;
  }

  /** Text in which only substitutions are special, up to the end. */
  document(): void {
    this.#words.quoted(null);
  }

  /** What was read, up to the end. */
  end(): ShellText {
    if (this.#documents.areOpen) this.isUnderstood = false;
    return this;
  }

  /** An open here-document may be a shift in arithmetic. */
  #close(): void {
    if (this.#text[this.#words.at] === ")") this.#words.at += 1;
    else this.isUnderstood = false;
    if (this.#documents.areOpen) this.isUnderstood = false;
  }

  #separatorOrWord(command: OpenCommand): OpenCommand {
    const { at } = this.#words;
    const separator = /[;&|\n]/.test(this.#text[at] ?? "")
      ? SEPARATORS.find((operator) => this.#text.startsWith(operator, at))
      : undefined;
    if (separator === undefined) {
      const word = this.#words.read();
      if (word) command.words.push(word);
      return command;
    }
    this.#words.at += separator.length;
    this.#finish(command);
    if (separator === "\n") this.#readDocuments();
    return begin(separator === "|" || separator === "|&");
  }

  /** A group, a function's brackets, or the bracket behind a pattern of `case`. */
  #bracket(char: string, command: OpenCommand): OpenCommand {
    this.isPlain = false;
    this.#words.at += 1;
    this.#finish(command);
    if (char === "(") this.list(")", command.isPiped);
    return begin(command.isPiped);
  }

  /** What a comment says may be a command to a shell that knows no comments. */
  #comment(): void {
    this.isPlain = false;
    const end = this.#text.indexOf("\n", this.#words.at);
    const comment = this.#text.slice(this.#words.at + 1, end < 0 ? undefined : end);
    this.#words.at = end < 0 ? this.#text.length : end;
    if (this.#depth < MAX_DEPTH) this.#take(readOnce(comment, this.#depth, this.#dialect).commands);
  }

  #redirect(command: OpenCommand): boolean {
    const { at } = this.#words;
    if (!/[<>&]/.test(this.#text[at] ?? "")) return false;
    const operator = REDIRECTS.find((one) => this.#text.startsWith(one, at));
    if (operator?.startsWith("&") === true && !this.#dialect.redirectsBoth) return false;
    if (operator === undefined) return false;
    this.#words.at += operator.length;
    if (this.#text[this.#words.at] === "(" && (operator === "<" || operator === ">")) {
      this.isPlain = false;
      this.#words.at += 1;
      this.list(")", false);
      const text = this.#text.slice(at, this.#words.at);
      command.words.push({ text, isComputed: true, isPattern: false });
      return true;
    }
    dropDescriptor(command, this.#text[at - 1]);
    this.#target(command, operator);
    return true;
  }

  #target(command: OpenCommand, operator: string): void {
    while (/[ \t]/.test(this.#text[this.#words.at] ?? "")) this.#words.at += 1;
    const from = this.#words.at;
    const target = this.#words.read();
    const written = this.#text.slice(from, this.#words.at);
    if (!target) this.isUnderstood = false;
    else if (operator === "<<<") command.inputs.push(target.text);
    else if (operator === "<<" || operator === "<<-")
      this.#documents.expect(target.text, operator === "<<-", /["'\\]/.test(written), command);
    else command.redirects.push({ operator, target });
    // What `&` with a file means depends on the shell.
    const isPlain = operator.includes("&")
      ? operator.endsWith("&") && /^(?:\d+|-)$/.test(written)
      : written === "/dev/null" && !operator.startsWith("<<");
    if (!isPlain) this.isPlain = false;
  }

  #readDocuments(): void {
    const { at, isComplete, expanding } = this.#documents.read(this.#text, this.#words.at);
    this.#words.at = at;
    if (!isComplete) this.isUnderstood = false;
    for (const body of expanding) this.#include(readDocument(body, this.#depth, this.#dialect));
  }

  #include({ commands, isUnderstood }: ShellText): void {
    this.#take(commands);
    this.isPlain = false;
    if (!isUnderstood) this.isUnderstood = false;
  }

  #take(commands: readonly SimpleCommand[]): void {
    for (const command of commands) this.commands.push(command);
  }

  #finish(command: OpenCommand): void {
    const { words, redirects, inputs } = command;
    // The bracket behind a pattern of `case` looks like the end of a substitution.
    if (this.#depth > 1 && words.some(({ text }) => text === "case")) this.isUnderstood = false;
    if (words.length + redirects.length + inputs.length > 0) this.commands.push(command);
  }
}

const begin = (isPiped: boolean): OpenCommand => ({
  words: [],
  redirects: [],
  inputs: [],
  isPiped,
});

/** The number right before a redirection is not a word of the command. */
function dropDescriptor({ words }: OpenCommand, before: string | undefined): void {
  if (before !== undefined && /\d/.test(before) && /^\d+$/.test(words.at(-1)?.text ?? ""))
    words.pop();
}
