import { DEEP, type Segment } from "../path-pattern.ts";
import type { SeenPath } from "../path-spelling.ts";
import { fits } from "../wildcard.ts";

/** Why a path is dangerous to touch. `isSecret`: reading it is dangerous too. */
export type PathDanger = { readonly why: string; readonly isSecret: boolean };

const secret: PathDanger = { why: "may hold passwords or keys", isSecret: true };
const startup: PathDanger = { why: "runs whenever a shell or a program starts", isSecret: false };
const git: PathDanger = { why: "decides how git works and what it runs", isSecret: false };
const builds: PathDanger = { why: "decides what build servers run", isSecret: false };
const editors: PathDanger = { why: "decides what editors and agents run", isSecret: false };
const system: PathDanger = { why: "belongs to the system", isSecret: false };
const times: PathDanger = { why: "decides what runs at set times", isSecret: false };

/** Names of directories, or of files, anywhere in a path; `a/b` are two names one after the other. */
const NAMES: ReadonlyMap<string, PathDanger> = new Map(
  (
    [
      [
        secret,
        ".ssh .gnupg .aws .azure .kube .docker .password-store .gcloud .config/gcloud .config/gh",
      ],
      [
        secret,
        ".local/share/keyrings library/keychains .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc",
      ],
      [
        secret,
        ".git-credentials .pgpass .my.cnf .htpasswd .vault-token .env .envrc .dockercfg .s3cfg",
      ],
      [secret, "id_rsa id_dsa id_ecdsa id_ed25519 authorized_keys .bash_history .zsh_history"],
      [
        secret,
        ".psql_history .mysql_history .python_history .node_repl_history .terraformrc credentials.tfrc.json",
      ],
      [
        startup,
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv",
      ],
      [
        startup,
        ".zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile",
      ],
      [
        startup,
        ".config/fish .config/autostart .config/systemd .config/environment.d library/launchagents",
      ],
      [startup, "library/launchdaemons .vimrc .tmux.conf .condarc .pythonrc"],
      [git, ".git .gitconfig .config/git .husky .githooks .pre-commit-config.yaml"],
      [
        builds,
        ".github/workflows .github/actions .gitlab-ci.yml .circleci .travis.yml jenkinsfile",
      ],
      [
        builds,
        "azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .woodpecker .buildkite .gitea/workflows",
      ],
      [editors, ".vscode .idea .cursor .devcontainer .mcp.json .claude .zed"],
      [times, "crontab cron.d cron.daily cron.hourly cron.weekly cron.monthly var/spool/cron"],
    ] as const
  ).flatMap(([danger, names]) => names.split(" ").map((name) => [name, danger] as const)),
);

/** The first names of paths from the root of a machine. */
const SYSTEM: ReadonlySet<string> = new Set(
  "etc dev proc sys boot bin sbin usr lib lib32 lib64 root system windows private/etc".split(" "),
);

/** Devices that swallow or only give. */
const HARMLESS = /^dev\/(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** Why a path is dangerous, in the worst of the ways in which it may be understood; `null` when it is not. */
export function dangerOfPath({ spellings, isAbsolute }: SeenPath): PathDanger | null {
  const found = spellings.flatMap((names) =>
    dangersOf(
      names.map((name) => name.toLowerCase()),
      isAbsolute,
    ),
  );
  return found.find(({ isSecret }) => isSecret) ?? found[0] ?? null;
}

function dangersOf(names: readonly string[], isAbsolute: boolean): PathDanger[] {
  const found: PathDanger[] = [];
  for (const [at, name] of names.entries()) {
    const pair = `${name}/${names[at + 1] ?? ""}`;
    const danger =
      NAMES.get(name) ??
      NAMES.get(pair) ??
      NAMES.get(`${pair}/${names[at + 2] ?? ""}`) ??
      (name.startsWith(".env.") ? secret : undefined);
    if (danger) found.push(danger);
  }
  const path = names.join("/");
  const [top = ""] = names;
  if (!isAbsolute || HARMLESS.test(path)) return found;
  if (/^etc\/(?:g?shadow|sudoers|ssl\/private)|^proc\/.*\/(?:environ|mem)$/.test(path))
    found.push(secret);
  if (SYSTEM.has(top) || path.startsWith("private/etc")) found.push(system);
  return found;
}

/** Names as a pattern is compared with them. */
const PARTS: readonly (readonly [readonly string[], PathDanger])[] = Array.from(
  NAMES,
  ([name, danger]) => [name.split("/"), danger] as const,
);

/**
 * The same of a path that a shell may put in the place of a pattern, in lower case. Only where the pattern says how a name
 * begins: all that stands in a directory is no danger by itself.
 */
export function dangerOfGlob(names: readonly Segment[]): PathDanger | null {
  const found = names.flatMap((name, at) =>
    saysItsBegin(name)
      ? PARTS.filter(([parts]) => mayBeNamed(names.slice(at), parts)).map(([, danger]) => danger)
      : [],
  );
  return found.find(({ isSecret }) => isSecret) ?? found[0] ?? null;
}

const saysItsBegin = (name: Segment): boolean => {
  if (name === DEEP) return false;
  const [first, second] = name.pieces;
  return first === "." || (typeof first === "string" && typeof second === "string");
};

const mayBeNamed = (names: readonly Segment[], parts: readonly string[]): boolean =>
  parts.every((part, at) => {
    const name = names[at];
    return name !== undefined && (name === DEEP || fits(name, part));
  });
