import type { Subjects } from "../shared/permissions.ts";
import { globsOf } from "./glob-word.ts";
import {
  argumentTexts,
  isSameJson,
  textsOf,
  type InputText,
  type InputTexts,
} from "./input-texts.ts";
import { once } from "./once.ts";
import { originsIn, originsOfPattern, type SeenOrigin } from "./origin-rule.ts";
import { countPieces, type Segment } from "./path-pattern.ts";
import { seePath, type SeenPath } from "./path-spelling.ts";
import { readCommandLine, type CommandLine } from "./shell/command-line.ts";
import type { Word } from "./shell/shell-text.ts";

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

/** A call in each way in which its arguments may be looked at: as they were written, and as it would run. Never empty. */
export type Readings = readonly [SeenCall, ...(readonly SeenCall[])];

/** One, or two where a tool runs with something else than the model wrote. */
export function readingsOf(
  tool: string,
  input: unknown,
  { data, subjects }: { readonly data?: unknown; readonly subjects?: Subjects },
): Readings {
  const written = new SeenCall(tool, input, subjects);
  if (data === undefined || isSameJson(input, data)) return [written];
  return [written, new SeenCall(tool, data, subjects)];
}

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
  readonly #words = once(() => this.lines.flatMap(wordsOf));
  readonly #otherPaths = once(() => this.#findOtherPaths());
  readonly #globs = once(() => this.#findGlobs());
  readonly #countPieces = once(() => countPieces(this.globs));
  readonly #countNames = once(() => {
    const paths = [...this.paths, ...this.within, ...this.otherPaths];
    return paths
      .flatMap((path) => path?.spellings ?? [])
      .reduce((sum, { length }) => sum + length + 1, 0);
  });
  readonly #origins = once(() => this.#findOrigins());

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

  /** The paths that a shell may put in the place of words of commands. */
  get globs(): readonly (readonly Segment[])[] {
    return this.#globs();
  }

  /** How many names all paths have together. */
  get countNames(): number {
    return this.#countNames();
  }

  /** How many characters all that shells put paths in the place of have. */
  get countPieces(): number {
    return this.#countPieces();
  }

  /** What may be the origin of a URL, in everything in which there may be one. */
  get origins(): readonly SeenOrigin[] {
    return this.#origins();
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
    const ofCommands = this.#words().flatMap(({ text }) => valuesOf(text));
    const texts = [...ofCommands, ...this.#stray.map(({ text }) => text)];
    return [...new Set(texts)].map(seePath).filter((path) => path !== null);
  }

  #findGlobs(): readonly (readonly Segment[])[] {
    const patterns = this.#words().filter(({ isPattern }) => isPattern);
    const texts = new Set(patterns.flatMap(({ text }) => valuesOf(text)));
    return [...texts].flatMap(globsOf);
  }

  #findOrigins(): readonly SeenOrigin[] {
    const { urls, commands } = this.named;
    const words = this.#words();
    const inputs = this.lines.flatMap(({ all }) => all.flatMap((command) => command.inputs));
    const hosts = [...urls, ...commands, ...inputs, ...words.flatMap(({ text }) => valuesOf(text))];
    const built = words.filter(({ isPattern, isComputed }) => isPattern || isComputed);
    return [
      ...[...new Set(hosts)].flatMap((text) => originsIn(text, true)),
      ...this.#stray.flatMap(({ text }) => originsIn(text, false)),
      ...built.flatMap(({ text }) => [...originsOfPattern(text), ...originsIn(spread(text), true)]),
    ];
  }
}

const wordsOf = ({ all }: CommandLine): Word[] =>
  all.flatMap(({ words, redirects }) => [...words, ...redirects.map(({ target }) => target)]);

/** What stands in braces, and behind slashes, as words. */
const spread = (word: string): string => word.replaceAll(/[{}]|[\\/]{2}/g, " ");

/** A word of a command, and what stands in it behind a mark, or in an option right behind its letter. */
const valuesOf = (word: string): string[] => [
  word,
  ...["=", ":", "@"]
    .filter((mark) => word.includes(mark))
    .map((mark) => word.slice(word.indexOf(mark) + 1)),
  ...(/^-\w./.test(word) ? [word.slice(2)] : []),
];

const looksLikePath = (text: string): boolean =>
  /^(?:~|\.{0,2}[/\\]|file:|[A-Za-z]:[/\\])\S*$/i.test(text);

const looksLikeUrl = (text: string): boolean => /^\s*[a-z][a-z0-9+.-]*:[\\/]{2}/i.test(text);
