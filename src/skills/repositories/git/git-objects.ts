import * as git from "isomorphic-git";
import { CarrelError } from "../../../shared/errors.ts";
import { cutAt } from "../../../shared/text.ts";
import { checkPack } from "./check-pack.ts";
import type { GitAddress } from "./git-address.ts";
import type { GitHttp } from "./git-http.ts";
import { createMemoryFiles } from "./memory-files.ts";

export type GitEntry = {
  readonly name: string;
  readonly kind: "file" | "program" | "directory" | "link" | "module" | "other";
  readonly id: string;
};

/** What a commit holds. Both throw `CarrelError('malformed')` for what is not there or cannot be read. */
export type GitObjects = {
  /** The entries of a directory, in Git's order; those of the root with the commit's own id. */
  readonly directory: (id: string) => Promise<readonly GitEntry[]>;
  readonly file: (id: string) => Promise<Uint8Array>;
};

/**
 * The commit that a branch is at, or with `null` the default branch, without anything of it. Throws `CarrelError`: `not_found`
 * when there is no such branch.
 */
export async function latestCommit(
  address: GitAddress,
  { client }: GitHttp,
  branch: string | null,
): Promise<string> {
  const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
  const refs = await explained(address, () =>
    git.listServerRefs({ http: client, url: address.url, prefix: ref }),
  );
  const found = refs.find((each) => each.ref === ref);
  if (found === undefined) throw noBranch(address, branch);
  if (/^[0-9a-f]{40}$/.test(found.oid)) return found.oid;
  throw new CarrelError(
    "malformed",
    `The repository at ${address.where} names its commits in a way that is not known here: only SHA-1 is.`,
  );
}

/** All that is in a commit, in memory. Throws `CarrelError`. */
export async function fetchObjects(
  address: GitAddress,
  { packOf }: GitHttp,
  commit: string,
): Promise<GitObjects> {
  const pack = await packOf(commit);
  checkPack(pack, address.where);
  const filepath = "objects/pack/pack-fetched.pack";
  const fs = createMemoryFiles(new Map([[`${GITDIR}/${filepath}`, pack]]));
  const at = { fs, dir: GITDIR, gitdir: GITDIR, cache: {} };
  await explained(address, () => git.indexPack({ ...at, filepath }));
  return {
    directory: async (oid) => {
      const { tree } = await explained(address, () => git.readTree({ ...at, oid }));
      return tree.map(({ path, mode, oid: id }) => ({ name: path, kind: kindOf(mode), id }));
    },
    file: async (oid) => {
      const { blob } = await explained(address, () => git.readBlob({ ...at, oid }));
      return new Uint8Array(blob);
    },
  };
}

const GITDIR = "git";

const kinds: ReadonlyMap<string, GitEntry["kind"]> = new Map([
  ["040000", "directory"],
  ["100644", "file"],
  ["100664", "file"],
  ["100755", "program"],
  ["120000", "link"],
  ["160000", "module"],
]);

const kindOf = (mode: string): GitEntry["kind"] => kinds.get(mode) ?? "other";

/** What the library does not like is what the server sent: its errors become words that can be shown. */
async function explained<Result>(
  { where }: GitAddress,
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!isOfLibrary(error)) throw error;
    const words = cutAt(error.message.replace(/[\p{Cc}\s]+/gu, " "), 200);
    throw new CarrelError(
      "malformed",
      `What the Git server at ${where} sent cannot be read: ${words}`,
      { cause: error },
    );
  }
}

const isOfLibrary = (error: unknown): error is Error =>
  error instanceof Error &&
  Object.values(git.Errors).some((Known) => typeof Known === "function" && error instanceof Known);

const noBranch = ({ where }: GitAddress, branch: string | null): CarrelError =>
  new CarrelError(
    "not_found",
    branch === null
      ? `The repository at ${where} has no default branch, or nothing in it yet. Name a branch: gitSkills({ branch: "main" }).`
      : `The repository at ${where} has no branch ${JSON.stringify(branch)}. Check its name.`,
  );
