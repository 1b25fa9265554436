import { createHash } from "node:crypto";
import { callBucket, sharedLayer } from "../../src/bindings.ts";
import type { Env } from "../../src/env.ts";
import { BucketMemory } from "../../src/memory/bucket-memory.ts";
import { createMemory, type Memory } from "../../src/memory/memory-client.ts";
import { bucketPrefix, parseBucketKey, type BucketKey } from "../../src/shared/bucket-key.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { BucketSkills } from "../../src/skills/bucket/bucket-skills.ts";
import { createSkills, type Skills } from "../../src/skills/skills-client.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import { type BucketPlatform, WorkspaceBucket } from "../../src/workspace/bucket.ts";
import {
  createSharedWorkspace,
  createWorkspace,
  type CallBucket,
  type IsolationScope,
  type Workspace,
  type WorkspaceOwner,
} from "../../src/workspace/workspace.ts";
import { answerOf } from "./bucket-answers.ts";
import { templateOf, type Files } from "./bucket-parts.ts";
import { ManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

export type WorkspaceLabOptions = Partial<
  Pick<BucketPlatform, "limits" | "sharedAgeMs" | "point" | "tellDirty">
> & {
  readonly store?: BlobStore;
  readonly template?: Files;
};

/** A call to a bucket, by another bucket or (`from` is `null`) by anybody else. */
export type BucketCall = {
  readonly from: BucketKey | null;
  readonly bucket: BucketKey;
  readonly method: string;
  readonly args: readonly unknown[];
};

/** What says nothing about files: that the tables are made, and what is to be done when. */
const ABOUT_TABLES = [
  "schema_step",
  "memory_schema_step",
  "meta",
  "job",
  "word_data",
  "word_idx",
  "word_config",
];

const noObject = { getByName: (): never => fail("no object of this kind is here") };

/** The buckets of a deployment in plain Node, over one store, called as over RPC: what crosses is copied. */
export class WorkspaceLab {
  readonly clock = new ManualClock();
  readonly store: BlobStore;
  /** Calls so far by sessions and routes, as `<bucket> <method>`. */
  readonly calls: string[] = [];
  /** Calls so far between buckets, as `<who asks> <bucket> <method>`. */
  readonly between: string[] = [];
  readonly registered: string[] = [];
  readonly unregistered: string[] = [];
  /** Buckets that told of something for upkeep, each time. */
  readonly dirty: BucketKey[] = [];
  readonly alarms = new Map<BucketKey, number>();
  /** What objects start from that wake from now on. */
  template: Files;
  /** Comes before each call, which it may delay or fail. */
  before: (call: BucketCall) => void | Promise<void> = () => {};
  /** The bindings through which everybody but buckets reaches them. */
  readonly env: Env = this.#envOf(null);
  readonly #options: WorkspaceLabOptions;
  readonly #tables = new Map<BucketKey, ReturnType<typeof openDatabase>>();
  readonly #buckets = new Map<BucketKey, WorkspaceBucket>();
  readonly #memories = new Map<BucketKey, BucketMemory>();
  readonly #skills = new Map<BucketKey, BucketSkills>();

  constructor(options: WorkspaceLabOptions = {}) {
    this.#options = options;
    this.store = options.store ?? createMemoryStore();
    this.template = options.template ?? {};
  }

  get callBucket(): CallBucket {
    return callBucket(this.env);
  }

  /** The workspace of an owner; ann's under the agent `main` by default. */
  workspace(owner: Partial<WorkspaceOwner> = {}, scope: IsolationScope = "USER"): Workspace {
    const ann = { agent: "main", user: "ann", session: "s1" };
    return createWorkspace(scope, { ...ann, ...owner }, this.callBucket);
  }

  /** What the agent's users share, for itself. */
  shared(agent = "main"): Workspace {
    return createSharedWorkspace(agent, this.callBucket);
  }

  get templateVersion(): string {
    const files = Object.entries(this.template).map(([path, content]) => [path, String(content)]);
    return createHash("sha256").update(JSON.stringify(files)).digest("hex");
  }

  /** That of all files of the template. */
  get templateEtag(): string {
    return `t${this.templateVersion.slice(0, 12)}`;
  }

  bucket(key: BucketKey): WorkspaceBucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const bucket = new WorkspaceBucket({ ...this.#platform(key), sql: this.sql(key) });
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** The memory beside a bucket's files, as its object has it. */
  memoryOf(key: BucketKey): BucketMemory {
    const known = this.#memories.get(key);
    if (known) return known;
    const platform = { sql: this.sql(key), clock: this.clock, log: () => {} };
    const memory = new BucketMemory(this.bucket(key), platform);
    this.#memories.set(key, memory);
    return memory;
  }

  /** The memory of a user under the agent `main`, as others reach it; ann's by default. */
  memory(user = "ann"): Memory {
    const home = bucketPrefix({ scope: "USER", agent: "main", user });
    return createMemory({ home, records: home, agent: "main" }, this.callBucket);
  }

  /** The skills beside a bucket's files, as its object has them. */
  skillsOf(key: BucketKey): BucketSkills {
    const known = this.#skills.get(key);
    if (known) return known;
    const skills = new BucketSkills({ files: this.bucket(key), clock: this.clock, log: () => {} });
    this.#skills.set(key, skills);
    return skills;
  }

  /** The skills of a user under the agent `main`, as others reach them; ann's by default. */
  skills(user = "ann"): Skills {
    return createSkills(bucketPrefix({ scope: "USER", agent: "main", user }), this.callBucket);
  }

  /** The tables of a bucket, to look into or to damage. */
  sql(key: BucketKey): Sql {
    const tables = this.#tables.get(key) ?? openDatabase();
    this.#tables.set(key, tables);
    return nodeSql(tables);
  }

  /** Every row that any bucket holds of files, and every key of the store. Without any: `{}`. */
  async stored(): Promise<Readonly<Record<string, unknown>>> {
    const found: Record<string, unknown> = {};
    for (const key of this.#tables.keys()) {
      const sql = this.sql(key);
      const tables = sql.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type='table'");
      for (const { name } of tables.filter((table) => !ABOUT_TABLES.includes(table.name))) {
        const rows = sql.all(`SELECT * FROM ${name}`);
        if (rows.length > 0) found[`${key} ${name}`] = rows;
      }
    }
    for (const { key } of (await this.store.list("")).entries) found[key] = "stored";
    return found;
  }

  /** Rows written to all tables so far, as Durable Objects bill them. */
  written(): number {
    const total = "SELECT total_changes() AS rows";
    const rows = [...this.#tables.values()].map((table) => table.prepare(total).get()?.["rows"]);
    return rows.reduce((sum: number, count) => sum + Number(count), 0);
  }

  /** All objects end; the next call finds others over the same tables, or with `loss` over empty ones. */
  restart({ loss = false } = {}): void {
    this.#buckets.clear();
    this.#memories.clear();
    this.#skills.clear();
    if (loss) this.#tables.clear();
  }

  /** Lets alarms go off until none is due within `ms`. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      const [next] = [...this.alarms].toSorted((a, b) => a[1] - b[1]);
      if (!next || next[1] > end) break;
      const [key, at] = next;
      await this.clock.pass(Math.max(0, at - this.clock.now()));
      this.alarms.delete(key);
      const work = this.bucket(key).alarm();
      await this.clock.pass(0);
      await work;
    }
    await this.clock.pass(Math.max(0, end - this.clock.now()));
  }

  #envOf(from: BucketKey | null): Env {
    const getByName = (key: string) => this.#object(key as BucketKey, from);
    return { SESSIONS: noObject, REGISTRY: noObject, WORKSPACES: { getByName } };
  }

  /** What a stub of a bucket's object is to who calls it. */
  #object(bucket: BucketKey, from: BucketKey | null): object {
    const call =
      (method: string) =>
      async (key: string, ...args: unknown[]) => {
        if (key !== bucket) fail("called for another bucket");
        if (from === null) this.calls.push(`${bucket} ${method}`);
        else this.between.push(`${from} ${bucket} ${method}`);
        await this.before({ from, bucket, method, args });
        const object = {
          files: () => this.bucket(bucket),
          memory: () => this.memoryOf(bucket),
          skills: () => this.skillsOf(bucket),
        };
        return structuredClone(await answerOf(object, method, structuredClone(args)));
      };
    return new Proxy({}, { get: (_, method) => call(String(method)) });
  }

  #platform(key: BucketKey): Omit<BucketPlatform, "sql"> {
    const bucket = parseBucketKey(key);
    return {
      clock: this.clock,
      point: noPoint,
      tellDirty: async () => void this.dirty.push(key),
      ...this.#options,
      key,
      store: this.store,
      template: templateOf(this.template, this.templateVersion),
      shared: "user" in bucket ? sharedLayer(bucket.agent, this.#envOf(key)) : null,
      register: async () => void this.registered.push(key),
      unregister: async () => void this.unregistered.push(key),
      setAlarm: (at) => void this.alarms.set(key, at),
      breathe: () => Promise.resolve(),
      log: () => {},
    };
  }
}

function fail(why: string): never {
  throw new Error(why);
}
