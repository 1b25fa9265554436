import type { SimpleCommand, Word } from "./shell-text.ts";

/** Words that may stand before a command, and are none. */
const RESERVED: ReadonlySet<string> = new Set(
  "! { } if then elif else fi while until do done for in case esac function select time coproc [[ ]]".split(
    " ",
  ),
);

/** Those of them behind which a name or an option may stand. */
const NAMING: ReadonlySet<string> = new Set(["function", "coproc", "time"]);

/** Shells and what else takes a command line, or reads one from its input. */
const SHELLS: ReadonlySet<string> = new Set(
  "sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell cmd eval source .".split(" "),
);

/** What runs the command that its arguments name, somewhere among them. */
const WRAPPERS: ReadonlySet<string> = new Set(
  `sudo doas su run0 pkexec env nohup time gtime timeout gtimeout command builtin exec nice ionice chrt taskset stdbuf
  setsid xargs parallel watch entr strace ltrace script flock chroot unshare nsenter runuser setpriv busybox toybox ssh
  rsh mosh vagrant lxc systemd-run at batch trap caffeinate unbuffer expect tmux screen npx bunx pnpx uvx nix nix-shell
  direnv mise asdf firejail bwrap proot fakeroot prlimit cgexec faketime dbus-run-session xvfb-run wsl rlwrap alias
  complete mapfile readarray crontab start call perf valgrind gdb hyperfine doppler op chpst softlimit setuidgid
  start-stop-daemon daemonize tini dumb-init catchsegv choom numactl eatmydata torsocks torify proxychains`.split(
    /\s+/,
  ),
);

/** The same for those that do so only with one of these words. */
const SOMETIMES: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(?:exec|execdir|ok|okdir)$/],
  ["fd", /^(?:-[A-Za-z]*[xX].*|--exec.*)$/],
  ["fdfind", /^(?:-[A-Za-z]*[xX].*|--exec.*)$/],
  [
    "git",
    /^(?:bisect|foreach|filter-branch|difftool|mergetool|-x.*|--exec.*|--(?:upload|receive)-pack.*|!.*|alias\..*|.*=!.*|(?:-c)?[a-z]+\..*(?:pager|editor|command|cmd|program|driver|textconv|external|helper|pager\..*|browser.*)=.*|(?:-c)?pager\..*)$/i,
  ],
  ["docker", /^(?:run|exec|compose)$/],
  ["podman", /^(?:run|exec|compose)$/],
  ["nerdctl", /^(?:run|exec|compose)$/],
  ["kubectl", /^(?:exec|run|debug)$/],
  ["oc", /^(?:exec|rsh|run|debug)$/],
  ["npm", /^(?:exec|x)$/],
  ["pnpm", /^(?:exec|dlx)$/],
  ["yarn", /^(?:exec|dlx)$/],
  ["bun", /^(?:exec|x)$/],
  ["tar", /^(?:--(?:check|to-|use|info|new-vol|rsh|rmt).*|-[A-Za-z]*[IF].*)$/],
  ["rsync", /^(?:-[A-Za-z]*e.*|--rsh.*|--rsync-path.*)$/],
  ["scp", /^-[A-Za-z0-9]*[oSD]/],
  ["sftp", /^-[A-Za-z0-9]*[oSD]/],
]);

/** What gives variables to the programs behind it. */
const EXPORTS: ReadonlySet<string> = new Set("export declare typeset readonly local".split(" "));

/** Variables whose value some program runs. */
const RUNS_ITS_VALUE = /^\w*(?:PAGER|EDITOR|VISUAL|COMMAND|SSH|ASKPASS|BROWSER|SHELL|DIFF)=/;

/** What runs code of another language that its arguments, or its input, hold. */
const INTERPRETERS =
  /^(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|wish|osascript|awk|gawk|mawk|nawk|rscript|julia|groovy|scala|irb|ghci|vim?|nvim|ed|ex|emacs|make|gmake|ninja|sqlite3|psql|mysql)[\d.]*$/;

/** Further places in the words of a wrapper at which its command may begin. */
const MAX_STARTS = 64;

/** What a wrapper takes for itself before its command: a host, a container, how long. */
const MAX_OPERANDS = 2;

/** A program with its arguments: what a command may run. */
export type Invocation = {
  /** Its name in lower case, without directories; `null` when the shell computes it. */
  readonly name: string | null;
  /** Whether `*` and `?` stand for characters in the name. */
  readonly isPattern: boolean;
  readonly arguments: readonly Word[];
  /** More arguments come from its input. */
  readonly hasMore: boolean;
  readonly command: SimpleCommand;
  /** Its name as it is written. */
  readonly written: string;
  /** It is the command itself, or stands where a wrapper's command is likely to begin. */
  readonly isLikely: boolean;
};

/** What of a command can be told. */
export type Programs = {
  readonly invocations: readonly Invocation[];
  /** Command lines in its arguments and its input. */
  readonly nested: readonly string[];
  /** Code in other languages. */
  readonly code: readonly string[];
  /** It runs code that it gets as its input. */
  readonly readsCode: boolean;
  /** There are more places where a command may begin than are looked at. */
  readonly isCut: boolean;
};

/** Everything that a command may run, as far as its words tell. */
export function programsOf(command: SimpleCommand): Programs {
  const { words, inputs } = command;
  const first = words.findIndex((word) => !isAssignment(word) && !RESERVED.has(word.text));
  const before = first < 0 ? words : words.slice(0, first);
  // What a substitution puts in was found where it stands.
  const assigned = before
    .filter(({ isComputed }) => !isComputed)
    .filter((word) => isLine(valueOf(word)) || RUNS_ITS_VALUE.test(word.text))
    .map(valueOf);
  if (first < 0)
    return {
      invocations: [],
      nested: assigned,
      code: [],
      readsCode: false,
      isCut: false,
    };
  const rest = words.slice(first + 1);
  const name = nameOf(words[first]);
  const isShell = name !== null && SHELLS.has(name);
  const isNamed = before.some(({ text }) => NAMING.has(text));
  const isWrapper = isNamed || isShell || runsOthers(name, rest);
  const last = isWrapper ? Math.min(words.length, first + 1 + MAX_STARTS) : first + 1;
  const hasMore = name === "xargs" || name === "parallel";
  const invocations = [invocationAt(command, first, false, true)];
  let behind = 0;
  for (let at = first + 1; at < last; at += 1) {
    for (const word of valuesOf(words[at]))
      invocations.push({ ...invocationAt(command, at, hasMore, false), name: nameOf(word) });
    if (words[at]?.text.startsWith("-") === true) continue;
    const invocation = invocationAt(command, at, hasMore, behind <= MAX_OPERANDS);
    invocations.push(invocation);
    behind = WRAPPERS.has(invocation.name ?? "") ? 0 : behind + 1;
  }
  if (isShell && readsItsInput(command, first)) invocations.push(unknown(command));
  const given = [...rest.map(({ text }) => text), ...inputs].filter(isLine);
  const values = isWrapper
    ? rest
        .flatMap(valuesOf)
        .map(({ text }) => text)
        .filter(isLine)
    : [];
  const exported = name !== null && EXPORTS.has(name) ? rest.filter(isAssignment).map(valueOf) : [];
  const aliases = name === "alias" || (isWrapper && name === "git") ? rest.map(aliasOf) : [];
  const isCode = name !== null && INTERPRETERS.test(name);
  return {
    invocations,
    nested: [
      ...(isWrapper ? given.map(withoutKey) : []),
      ...values.map(withoutKey),
      ...assigned,
      ...exported,
      ...aliases,
    ],
    code: isCode ? given : [],
    readsCode: isCode && readsItsInput(command, first),
    isCut: isWrapper && last < words.length,
  };
}

/** A command that the shell computes may be one of them. */
const runsOthers = (name: string | null, rest: readonly Word[]): boolean => {
  if (name === null || WRAPPERS.has(name)) return true;
  const hint = SOMETIMES.get(name);
  return hint !== undefined && rest.some(({ text }) => hint.test(text));
};

/** What an alias stands for; git marks a command of the shell by `!`. */
const aliasOf = (word: Word): string => valueOf(word).replace(/^!/, "");

/** What stands behind an `=`, and right behind an option's letter. */
function valuesOf(word: Word | undefined): readonly Word[] {
  if (!word || word.isComputed) return [];
  const { text } = word;
  const at = text.indexOf("=");
  const last = text.lastIndexOf("=");
  const texts = [
    ...(/^-\w./.test(text) ? [text.slice(2)] : []),
    ...(at < 0 || isAssignment(word) ? [] : [text.slice(at + 1)]),
    ...(last === at ? [] : [text.slice(last + 1)]),
  ];
  return texts.map((value) => ({ ...word, text: value }));
}

/** ssh writes some of its options so. */
const withoutKey = (text: string): string =>
  text.replace(/^\s*(?:proxy|local|knownhosts|remote)command[\s=]+/i, "");

const valueOf = ({ text }: Word): string => text.slice(text.indexOf("=") + 1);

function invocationAt(
  command: SimpleCommand,
  at: number,
  hasMore: boolean,
  isLikely: boolean,
): Invocation {
  const word = command.words[at];
  const name = nameOf(word);
  return {
    name,
    isPattern: word?.isPattern === true,
    arguments: command.words.slice(at + 1),
    hasMore: hasMore || (word?.isPattern === true && word.text.includes("{")),
    command,
    written: word?.text ?? "",
    isLikely,
  };
}

const unknown = (command: SimpleCommand): Invocation => ({
  name: null,
  isPattern: false,
  arguments: [],
  hasMore: true,
  command,
  written: "",
  isLikely: true,
});

/** A shell without a script runs what it is given as its input. */
function readsItsInput({ words, isPiped, inputs, redirects }: SimpleCommand, at: number): boolean {
  const isGiven =
    isPiped || inputs.length > 0 || redirects.some(({ operator }) => operator.startsWith("<"));
  return isGiven && !hasScript(words.slice(at + 1));
}

/** Whether an interpreter is given a script or code; without one it runs what it gets as its input. */
export function hasScript(words: readonly Word[]): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (text === "-" || /^-[A-Za-z]*s[A-Za-z]*$|^\/(?:dev|proc)\//.test(text)) return false;
    if (/^[-+][a-z]*o$/.test(text)) at += 1;
    else if (!/^[-+]/.test(text)) return true;
  }
  return false;
}

/** `NAME=value`, which stands before a command or alone. */
export const isAssignment = ({ text }: Word): boolean =>
  /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(text);

/** A word that may be more than one word of a command line. */
const isLine = (text: string): boolean => /[\s;&|()<>`$"'\\]/.test(text);

/** A program's name in lower case, without directories; `null` when it is not written out. */
export function nameOf(word: Word | undefined): string | null {
  if (
    !word ||
    word.isComputed ||
    (word.isPattern && /[[{]/.test(word.text) && !/^[[{]+$/.test(word.text))
  )
    return null;
  const name = word.text.slice(word.text.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/\.(?:exe|com|bat|cmd)$/, "");
}

/** Programs that run others in more ways than can be told by their words. */
const RUNNERS: ReadonlySet<string> = new Set(
  "find fd fdfind tar rsync scp sftp sed zip man less more rg ag mvn gradle gradlew dotnet java tsx ts-node pipx".split(
    " ",
  ),
);

/** Programs with subcommands, of which these run others, or what a package says. */
const SUBCOMMANDS =
  /^(?:run|run-script|rum|urn|exec|x|dlx|create|init|tool|generate|debug|rsh|cp|compose|attach|build|bake|script|explore|bisect|submodule|difftool|mergetool|filter-branch|rebase|config|grep)$/;

const HAS_SUBCOMMANDS: ReadonlySet<string> = new Set(
  "git docker podman nerdctl kubectl oc npm pnpm yarn bun uv go cargo poetry pipenv hatch rye pdm pixi conda mamba composer bundle rake".split(
    " ",
  ),
);

/** Whether a program runs whatever it is given, so that nobody should allow all that begins with these words. */
export function hasManyFaces(program: string, subcommand: string | null): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1).toLowerCase();
  if (HAS_SUBCOMMANDS.has(name)) return subcommand === null || SUBCOMMANDS.test(subcommand);
  return (
    [SHELLS, WRAPPERS, RESERVED, RUNNERS].some((set) => set.has(name)) || INTERPRETERS.test(name)
  );
}
