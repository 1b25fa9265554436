import type { Subjects } from "../shared/permissions.ts";
import { argumentTexts, textsOf, type InputText, type InputTexts } from "./input-texts.ts";
import { once } from "./once.ts";
import { seePath, type SeenPath } from "./path-spelling.ts";
import { readCommandLine, type CommandLine } from "./shell/command-line.ts";

/** What a call is about, said by its tool or told by the names of its arguments. */
export type Named = {
  readonly paths: readonly string[];
  readonly within: readonly string[];
  readonly commands: readonly string[];
  /** Code, which may be that of a shell. */
  readonly scripts: readonly string[];
  readonly urls: readonly string[];
  /** Nothing else could be meant: an allow rule may cover it. */
  readonly isCertain: boolean;
};

/** A text that may be a command line; `isCommand`: it is one. */
export type SeenLine = { readonly line: CommandLine; readonly isCommand: boolean };

/** A call as rules look at it. Each part is worked out when a rule first asks for it. */
export class SeenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly #declared: Subjects | undefined;
  readonly #texts = once(() => textsOf(this.input));
  readonly #named = once(() => this.#name());
  readonly #lines = once(() => this.named.commands.map(readCommandLine));
  readonly #scriptLines = once(() => this.named.scripts.map(readCommandLine));
  readonly #strayLines = once(() => this.#stray.map(({ text }) => readCommandLine(text)));
  readonly #paths = once(() => this.named.paths.map(seePath));
  readonly #within = once(() => this.named.within.map(seePath));
  readonly #otherPaths = once(() => this.#findOtherPaths());

  constructor(tool: string, input: unknown, declared: Subjects | undefined) {
    this.tool = tool;
    this.input = input;
    this.#declared = declared;
  }

  /** Whether the tool says what the call is about. */
  get isDeclared(): boolean {
    return this.#declared !== undefined;
  }

  get named(): Named {
    return this.#named();
  }

  /** The named paths; `null` for one that is too long to be a path. */
  get paths(): readonly (SeenPath | null)[] {
    return this.#paths();
  }

  /** Directories all of whose files the call looks at. */
  get within(): readonly (SeenPath | null)[] {
    return this.#within();
  }

  /** What may be a path too: words of commands, and without a tool's word every text. */
  get otherPaths(): readonly SeenPath[] {
    return this.#otherPaths();
  }

  /** The named commands. */
  get lines(): readonly CommandLine[] {
    return this.#lines();
  }

  get scriptLines(): readonly CommandLine[] {
    return this.#scriptLines();
  }

  /** Everything that may be a command line: without a tool's word every text. */
  get allLines(): readonly SeenLine[] {
    return [
      ...this.lines.map((line) => ({ line, isCommand: true })),
      ...this.#strayLines().map((line) => ({ line, isCommand: false })),
    ];
  }

  /** Every text in which there may be a URL. */
  get urlTexts(): readonly string[] {
    const { urls, commands } = this.named;
    return [...urls, ...commands, ...this.#stray.map(({ text }) => text)];
  }

  argument(name: string): InputTexts {
    return argumentTexts(this.input, name);
  }

  /** Texts of which nobody says what they are. */
  get #stray(): readonly InputText[] {
    if (this.#declared) return [];
    return this.#texts().texts.filter(({ role }) => role !== "command");
  }

  #name(): Named {
    if (this.#declared) {
      const { paths = [], within = [], commands = [], urls = [] } = this.#declared;
      return { paths, within, commands, scripts: [], urls, isCertain: true };
    }
    const { texts, isCertain } = this.#texts();
    const of = (isMeant: (text: InputText) => boolean) =>
      texts.filter(isMeant).map(({ text }) => text);
    const scripts = of(({ role }) => role === "script");
    return {
      paths: of(({ role, text }) => role === "path" || looksLikePath(text)),
      within: [],
      commands: of(({ role }) => role === "command"),
      scripts,
      urls: of(({ role, text }) => role === "url" || looksLikeUrl(text)),
      isCertain:
        isCertain &&
        scripts.length === 0 &&
        !texts.some(({ isName, text }) => isName && /[./\\]/.test(text)),
    };
  }

  #findOtherPaths(): SeenPath[] {
    const ofCommands = this.lines.flatMap(({ all }) =>
      all.flatMap(({ words, redirects }) =>
        [...words, ...redirects.map(({ target }) => target)].flatMap(({ text }) => valuesOf(text)),
      ),
    );
    const texts = [...ofCommands, ...this.#stray.map(({ text }) => text)];
    return [...new Set(texts)].map(seePath).filter((path) => path !== null);
  }
}

/** A word of a command, and what stands in it behind `=` or `:`, or in an option right behind its letter. */
const valuesOf = (word: string): string[] => [
  word,
  ...["=", ":"]
    .filter((mark) => word.includes(mark))
    .map((mark) => word.slice(word.indexOf(mark) + 1)),
  ...(/^-\w./.test(word) ? [word.slice(2)] : []),
];

const looksLikePath = (text: string): boolean =>
  /^(?:~|\.{0,2}[/\\]|file:|[A-Za-z]:[/\\])\S*$/i.test(text);

const looksLikeUrl = (text: string): boolean => /^\s*[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(text);
