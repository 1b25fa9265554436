import { CarrelError, invalid } from "../../../shared/errors.ts";
import type { Trust } from "../../../shared/skill-facts.ts";
import { cutAt } from "../../../shared/text.ts";
import type { FetchParts, SkillRepository } from "../repository.ts";
import { gitAddress, gitBranch, gitPath, slug } from "./git-address.ts";
import type { Login } from "./git-answer.ts";
import { createGitHttp } from "./git-http.ts";
import { fetchObjects, latestCommit } from "./git-objects.ts";
import { readGitSkills } from "./read-skills.ts";

export type GitSkillsOptions = {
  /** `https://github.com/acme/skills`. No SSH, and nothing secret in it. */
  readonly url: string;
  /** Default: the repository's own. */
  readonly branch?: string;
  /** Where the skills are, from the root; default `skills`, else the root itself, and `.agents/skills` beside. */
  readonly path?: string;
  /** Default `git-<owner>-<repository>`, and the branch if one is given. */
  readonly label?: string;
  /** Default `community`. */
  readonly trust?: Trust;
  /** The variable or secret of the deployment that holds the token, read whenever it fetches; `user` is by default `x-access-token`, as GitHub wants it. */
  readonly token?: { readonly variable: string; readonly user?: string };
  /** Most that is fetched, packed; default 20 MiB. An isolate has 128 MB, and reading a pack takes three times its size beside what it holds. */
  readonly maxPackBytes?: number;
};

const MAX_PACK_BYTES = 20 * 1024 * 1024;

/**
 * The skills of a Git repository, read over smart HTTP: the newest commit of one branch, without what was before it and without
 * submodules, symbolic links and files that Git LFS keeps elsewhere. A repository that has not moved costs two small requests.
 * Throws `CarrelError('invalid')` for options that cannot be.
 */
export function gitSkills(options: GitSkillsOptions): SkillRepository {
  const address = gitAddress(options.url);
  const branch = options.branch === undefined ? null : gitBranch(options.branch);
  const path = options.path === undefined ? null : gitPath(options.path);
  const label = options.label ?? labelOf(address.slug, branch);
  if (!/^[a-z0-9][a-z0-9.-]{0,63}$/.test(label))
    throw invalid(
      `gitSkills: ${JSON.stringify(cutAt(label, 100))} is no label. Use lower-case letters, digits, "." and "-", a letter or digit first, at most 64.`,
    );
  const revisionOf = (commit: string) => (path === null ? commit : `${commit}:${path}`);
  return {
    label,
    trust: options.trust ?? "community",
    key: JSON.stringify(["git", address.url, branch, path]),
    origins: [address.origin],
    async take(known, parts) {
      const { limits, signal } = parts;
      signal.throwIfAborted();
      const maxPackBytes = options.maxPackBytes ?? MAX_PACK_BYTES;
      const login = loginOf(options.token, parts);
      const http = createGitHttp({ address, fetch: parts.fetch, signal, maxPackBytes, login });
      const commit = await latestCommit(address, http, branch);
      const revision = revisionOf(commit);
      if (known === revision) return "unchanged";
      const objects = await fetchObjects(address, http, commit);
      const read = await readGitSkills({ address, objects, commit, path, limits, signal });
      return { revision, ...read };
    },
  };
}

const labelOf = (repository: string, branch: string | null): string =>
  slug(`git-${repository}${branch === null ? "" : `-${branch}`}`)
    .slice(0, 64)
    .replace(/[.-]+$/, "");

function loginOf(token: GitSkillsOptions["token"], { binding }: FetchParts): Login | null {
  if (token === undefined) return null;
  const { variable, user = "x-access-token" } = token;
  const value = binding(variable);
  if (typeof value !== "string" || value.trim() === "")
    throw new CarrelError(
      "invalid",
      `${variable} is not set, which gitSkills takes its token from. Set it: npx wrangler secret put ${variable}.`,
    );
  const bytes = new TextEncoder().encode(`${user}:${value.trim()}`);
  return { header: `Basic ${btoa(String.fromCharCode(...bytes))}`, variable };
}
