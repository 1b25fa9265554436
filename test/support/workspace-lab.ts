import { bucketPrefix, parseBucketKey, type BucketKey } from "../../src/shared/bucket-key.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { Failure } from "../../src/shared/session-api.ts";
import type { WorkspaceApi } from "../../src/shared/workspace-api.ts";
import type { BlobStore } from "../../src/workspace/blob-store.ts";
import { type BucketPlatform, WorkspaceBucket } from "../../src/workspace/bucket.ts";
import type { SharedLayer } from "../../src/workspace/layers.ts";
import { createTemplate, type TemplateFile } from "../../src/workspace/template.ts";
import {
  type CallBucket,
  createWorkspace,
  type IsolationScope,
  type Workspace,
  type WorkspaceOwner,
} from "../../src/workspace/workspace.ts";
import { ManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

export type WorkspaceLabOptions = Partial<
  Pick<BucketPlatform, "clock" | "limits" | "sharedAgeMs" | "point">
> & {
  readonly store?: BlobStore;
  readonly template?: Readonly<Record<string, string>>;
};

/** The buckets of one agent in plain Node, over one store, called as over RPC: what crosses is copied. */
export class WorkspaceLab {
  readonly clock = new ManualClock();
  readonly store: BlobStore;
  /** Calls so far, as `<bucket> <method>`. */
  readonly calls: string[] = [];
  readonly registered: string[] = [];
  readonly alarms = new Map<BucketKey, number>();
  template: Readonly<Record<string, string>>;
  readonly #options: WorkspaceLabOptions;
  readonly #tables = new Map<BucketKey, ReturnType<typeof openDatabase>>();
  readonly #buckets = new Map<BucketKey, WorkspaceBucket>();

  constructor(options: WorkspaceLabOptions = {}) {
    this.#options = options;
    this.store = options.store ?? createMemoryStore();
    this.template = options.template ?? {};
  }

  /** The workspace of an owner; ann's under the agent `main` by default. */
  workspace(owner: Partial<WorkspaceOwner> = {}, scope: IsolationScope = "USER"): Workspace {
    return createWorkspace(
      scope,
      { agent: "main", user: "ann", session: "s1", ...owner },
      this.callBucket,
    );
  }

  readonly callBucket: CallBucket = async (key, call) => {
    const api = new Proxy(this.bucket(key), {
      get:
        (bucket, method) =>
        (_key: string, ...args: unknown[]) => {
          this.calls.push(`${key} ${String(method)}`);
          return answerOf(bucket, String(method), structuredClone(args));
        },
    });
    return structuredClone(await call(api as unknown as WorkspaceApi));
  };

  bucket(key: BucketKey): WorkspaceBucket {
    const known = this.#buckets.get(key);
    if (known) return known;
    const tables = this.#tables.get(key) ?? openDatabase();
    this.#tables.set(key, tables);
    const bucket = new WorkspaceBucket({ ...this.#platform(key), sql: nodeSql(tables) });
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** All objects end; the next call finds others over the same tables, or with `loss` over empty ones. */
  restart({ loss = false } = {}): void {
    this.#buckets.clear();
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

  #platform(key: BucketKey): Omit<BucketPlatform, "sql"> {
    const bucket = parseBucketKey(key);
    const files = Object.entries(this.template).map(([path, text]): [string, TemplateFile] => [
      path,
      { text },
    ]);
    return {
      clock: this.clock,
      point: noPoint,
      ...this.#options,
      key,
      store: this.store,
      template: createTemplate(Object.fromEntries(files), JSON.stringify(this.template)),
      shared: "user" in bucket ? this.#shared(bucket.agent) : null,
      register: async () => void this.registered.push(key),
      setAlarm: (at) => void this.alarms.set(key, at),
      breathe: () => Promise.resolve(),
      log: () => {},
    };
  }

  #shared(agent: string): SharedLayer {
    const key = bucketPrefix({ scope: "AGENT", agent });
    return {
      manifest: (known) => this.bucket(key).manifest(known),
      read: async (path, from) => {
        const request = { path, layer: "own", ...(from === undefined ? {} : { from }) } as const;
        const { file, content } = await this.bucket(key).read(request);
        return { etag: file.etag, content };
      },
    };
  }
}

/** As the object answers: expected failures are data. */
async function answerOf(
  bucket: WorkspaceBucket,
  method: string,
  args: readonly unknown[],
): Promise<({ readonly ok: true } & object) | Failure> {
  try {
    const call = Reflect.get(bucket, method) as (...given: unknown[]) => Promise<unknown>;
    const answer = await call.apply(bucket, [...args]);
    return { ok: true, ...wrapped(method, answer) };
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

const NAMES: Readonly<Record<string, string>> = {
  snapshot: "snapshot",
  change: "changed",
  history: "versions",
  manifest: "manifest",
  usage: "usage",
  rescan: "report",
};

const wrapped = (method: string, answer: unknown): object => {
  const name = NAMES[method];
  return name === undefined ? (answer as object) : { [name]: answer };
};
