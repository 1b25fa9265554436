import { createHash } from "node:crypto";
import type { Env } from "../../src/env.ts";
import type { Deployment, Doctor } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import { bucketOf, type IsolationScope } from "../../src/workspace/workspace.ts";
import { FakeWorkspace } from "./fake-workspace.ts";

const noObject = (): never => {
  throw new Error("these tests run no object");
};

const scopes: Readonly<Record<string, IsolationScope>> = {
  main: "USER",
  each: "SESSION",
  team: "AGENT",
  all: "GLOBAL",
};

/** Four agents, one a scope, whose buckets are made when somebody asks for them. */
export class Desk {
  readonly buckets = new Map<string, FakeWorkspace>();
  readonly template: Readonly<Record<string, string>> = {
    "AGENTS.md": "# Template\n",
    "knowledge/a.md": "a\n",
    "knowledge/b.md": "b\n",
  };
  readonly #app = createApp(this.#deployment());
  readonly #env: Env;

  constructor() {
    const keys = ["ann", "bob", "root"].map((user) => ({
      user,
      hash: createHash("sha256").update(`key-${user}`).digest("hex"),
      role: user === "root" ? "admin" : "user",
    }));
    const none = { getByName: noObject };
    this.#env = {
      SESSIONS: none,
      WORKSPACES: none,
      REGISTRY: none,
      CARREL_API_KEYS: JSON.stringify(keys),
    };
  }

  /** A request of `user`, to a path below `/v1`; `null`: without a key. */
  async ask(user: string | null, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (user !== null) headers.set("authorization", `Bearer key-${user}`);
    return this.#app.request(`http://carrel.example/v1${path}`, { ...init, headers }, this.#env);
  }

  put(user: string, path: string, body: BodyInit, headers: Record<string, string> = {}) {
    return this.ask(user, path, { method: "PUT", body, headers });
  }

  /** The bucket of a user of the agent `main`. */
  bucket(user: string): FakeWorkspace {
    return this.#bucket(bucketOf("USER", { agent: "main", user, session: null }));
  }

  shared(agent = "main"): FakeWorkspace {
    return this.#bucket(`v1/agents/${agent}/shared/`);
  }

  /** Everything that any bucket holds or was asked to take in. */
  stored(): unknown {
    return [...this.buckets].map(([key, bucket]) => [key, bucket.stored()]);
  }

  #bucket(key: string): FakeWorkspace {
    const bucket = this.buckets.get(key) ?? new FakeWorkspace(this.template);
    this.buckets.set(key, bucket);
    return bucket;
  }

  #deployment(): Deployment {
    return {
      has: (agent) => Object.hasOwn(scopes, agent),
      harness: noObject,
      bucket: noObject,
      isolationScope: (agent) => scopes[agent] ?? "USER",
      workspace: (agent, _env, owner) => this.#bucket(bucketOf(scopes[agent] ?? "USER", owner)),
      sharedWorkspace: (agent) => this.shared(agent),
      doctor: (agent, _env, owner) =>
        Promise.resolve({ scope: scopes[agent] ?? "USER", owner } as unknown as Doctor),
    };
  }
}

export const problemOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error;
