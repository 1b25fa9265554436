import { createHash } from "node:crypto";
import type { Listed } from "../../src/shared/workspace-api.ts";
import type { FileInfo } from "../../src/shared/workspace-files.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import type { Files } from "../support/bucket-parts.ts";
import { workspaceApp } from "../support/workspace-app.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const template: Files = {
  "AGENTS.md": "# Template\n",
  "knowledge/a.md": "a\n",
  "knowledge/b.md": "b\n",
};

const agents = [
  { id: "main" },
  { id: "each", isolationScope: "SESSION" },
  { id: "team", isolationScope: "AGENT" },
  { id: "all", isolationScope: "GLOBAL" },
] as const;

/** Two users and an admin. */
const keys = ["ann", "bob", "root"].map((user) => ({
  user,
  hash: createHash("sha256").update(`key-${user}`).digest("hex"),
  role: user === "root" ? "admin" : "user",
}));

/** The routes of four agents, one a scope, over real buckets. */
export class Desk {
  /** Where the deployment is asked. */
  origin = "http://carrel.example";
  readonly lab = new WorkspaceLab({ template });
  readonly #ask = workspaceApp(this.lab, agents, { CARREL_API_KEYS: JSON.stringify(keys) });

  /** A request of `user`, to a path below `/v1`; `null`: without a key. */
  async ask(user: string | null, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (user !== null) headers.set("authorization", `Bearer key-${user}`);
    return this.#ask(new Request(`${this.origin}/v1${path}`, { ...init, headers }));
  }

  put(user: string, path: string, body: BodyInit, headers: Record<string, string> = {}) {
    return this.ask(user, path, { method: "PUT", body, headers });
  }

  /** The files of a user of the agent `main`. */
  workspace(user = "ann"): Workspace {
    return this.lab.workspace({ user });
  }

  /** Everything that any bucket holds or was asked to take in; `{}` when that is nothing. */
  stored(): Promise<unknown> {
    return this.lab.stored();
  }

  /** The buckets that were asked by anybody but another bucket, sorted. */
  buckets(): string[] {
    return [...new Set(this.lab.calls.map((call) => call.split(" ")[0] ?? ""))].toSorted();
  }
}

/** What a workspace itself holds. */
export async function ownFiles(workspace: Workspace): Promise<FileInfo[]> {
  const { entries } = await workspace.tree({ recursive: true, layer: "own", limit: 2_000 });
  return entries.flatMap(({ file }: Listed) => file ?? []);
}

export const ownPaths = async (workspace: Workspace): Promise<string[]> =>
  (await ownFiles(workspace)).map(({ path }) => path);

export const problemOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error;
