import type { Context } from "hono";
import { CarrelError, invalid } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import { consoleLog } from "../shared/log.ts";
import type { FileInfo, LayerName } from "../shared/workspace-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { AppEnv } from "./app-env.ts";
import { type FileQuery, layerOf } from "./files-query.ts";

/** The files that a request is about, with what it may say and hear about them. */
export type FileTarget = {
  readonly workspace: Workspace;
  /** The layer to read from, in this workspace; `undefined`: through all of them. */
  readonly layer: LayerName | undefined;
  /** Whether it is the agent's shared layer for itself. */
  readonly isShared: boolean;
  /** Who writes, as `FileInfo.by` shows it. */
  readonly by: string;
  /** A file of this workspace as the caller knows it. */
  readonly shown: <File extends Named>(file: File) => File;
  /** An etag that the caller was shown, as this workspace knows it. */
  readonly expected: (etag: string | undefined) => string | undefined;
};

type Named = Pick<FileInfo, "layer"> & { readonly etag?: string };

/**
 * Whose files a request means: the caller's own, and for an admin those that `?user=` names, or with
 * `?layer=shared` the agent's shared ones. Throws `CarrelError`: `forbidden` for anybody else, whether such a user
 * exists or not, and for a write to files that the agent's scope shares. What an admin opens of others is logged.
 */
export function targetOf(c: Context<AppEnv>, query: FileQuery, use: "read" | "write"): FileTarget {
  const { user, role } = c.get("principal");
  const deployment = c.get("deployment");
  const agent = c.req.param("agent") ?? "";
  const owner = ownerOf(c, query);
  const layer = layerOf(query);
  const isAdmin = role === "admin";
  if (use === "write") checkWrite(layer, isAdmin, deployment.isolationScope(agent));
  const by = `user:${user}`;
  if (layer === "shared" && isAdmin) {
    audit(c, "shared");
    const workspace = deployment.sharedWorkspace(agent, c.env);
    return { workspace, layer: "own", isShared: true, by, shown: asShared, expected: fromShared };
  }
  const workspace = deployment.workspace(agent, c.env, owner);
  const asIs = <Shown>(shown: Shown): Shown => shown;
  return { workspace, layer, isShared: false, by, shown: asIs, expected: asIs };
}

/** Whose files a request names. Throws `forbidden` when they are another user's and the caller is no admin. */
export function ownerOf(c: Context<AppEnv>, query: FileQuery) {
  const { user, role } = c.get("principal");
  const agent = c.req.param("agent") ?? "";
  const named = query.get("user");
  const session = query.get("session");
  const owner = {
    agent,
    user: named === undefined ? user : parseId("The user id", named),
    session: session === undefined ? null : parseId("The session id", session),
  };
  if (owner.user === user) return owner;
  if (role !== "admin") throw forbidden("Only an admin may name another user.");
  audit(c, owner.user);
  return owner;
}

function checkWrite(layer: LayerName | undefined, isAdmin: boolean, scope: string): void {
  if (layer === "template")
    throw invalid(
      "The template is part of the deployment. Write an override: leave out the layer.",
    );
  if (isAdmin) return;
  if (layer === "shared") throw forbidden("Only an admin may write files of the shared layer.");
  if (scope === "AGENT" || scope === "GLOBAL")
    throw forbidden("All users of this agent share these files, so only an admin may write them.");
}

/** Notes that an admin opens what is not theirs: who, whose, by which route; never what is in it. */
export function audit(c: Context<AppEnv>, whom: string): void {
  consoleLog("info", "admin_access", {
    who: c.get("principal").user,
    whom,
    method: c.req.method,
    route: c.req.routePath,
  });
}

export const forbidden = (message: string): CarrelError => new CarrelError("forbidden", message);

/** The shared bucket calls its own files `own`; everybody else sees them as `shared`. */
function asShared<File extends Named>(file: File): File {
  if (file.layer !== "own") return file;
  return {
    ...file,
    layer: "shared",
    ...(file.etag === undefined ? {} : { etag: `s${file.etag}` }),
  };
}

/** The etag of a file of one's own names nothing in the shared layer. */
const fromShared = (etag: string | undefined): string | undefined =>
  etag !== undefined && /^\d/.test(etag) ? `own:${etag}` : etag?.replace(/^s(?=\d)/, "");
