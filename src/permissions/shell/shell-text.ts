/** A word of a command, quotes and escapes resolved. */
export type Word = {
  /** What the shell puts into it is left as it was written. */
  readonly text: string;
  /** The shell puts something into it: a variable, what a command prints. */
  readonly isComputed: boolean;
  /** `*`, `?`, `[` or `{` stands outside of quotes, so that the shell may put other words in its place. */
  readonly isPattern: boolean;
};

/** A redirection: `>`, `<`, `&>` and so on, and where to or from. */
export type Redirect = { readonly operator: string; readonly target: Word };

/** One command of a command line, wherever it stands. */
export type SimpleCommand = {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Texts that it gets as its input. */
  readonly inputs: readonly string[];
  /** Its input is what another command prints. */
  readonly isPiped: boolean;
};

/** A command line as a POSIX shell or bash reads it. */
export type ShellText = {
  /** In order, also those inside of groups, substitutions and comments. */
  readonly commands: readonly SimpleCommand[];
  /** It is commands one after another and nothing else: an allow rule may cover it. */
  readonly isPlain: boolean;
  /** False when something is left open or lies too deep: there may be commands that were not found. */
  readonly isUnderstood: boolean;
};

/** A command that is still being read. */
export type OpenCommand = {
  readonly words: Word[];
  readonly redirects: Redirect[];
  readonly inputs: string[];
  readonly isPiped: boolean;
};
