import { DurableObject } from "cloudflare:workers";
import { platformSql } from "../../durable-objects/sql.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { consoleLog } from "../../src/shared/log.ts";
import { noPoint } from "../../src/shared/point.ts";
import { WorkspaceBucket } from "../../src/workspace/bucket.ts";
import { createTemplate } from "../../src/workspace/layers/template.ts";
import { createMemoryStore } from "../../test/support/memory-store.ts";

type Env = { readonly BUCKET: DurableObjectNamespace<BucketObject> };

/** One bucket over SQLite, with nothing behind it: PUT writes a file, GET searches. */
export class BucketObject extends DurableObject<Env> {
  readonly #bucket: WorkspaceBucket;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#bucket = new WorkspaceBucket({
      key: bucketPrefix({ scope: "USER", agent: "main", user: "ann" }),
      sql: platformSql(ctx.storage),
      clock: systemClock,
      store: createMemoryStore(),
      template: createTemplate({}, "none"),
      shared: null,
      register: () => Promise.resolve(),
      unregister: () => Promise.resolve(),
      setAlarm: (at) => void ctx.storage.setAlarm(at),
      breathe: () => new Promise((resolve) => setTimeout(resolve, 0)),
      point: noPoint,
      log: consoleLog,
    });
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET") {
      const query = searchParams.get("q") ?? "";
      return Response.json(await this.#bucket.search({ query }));
    }
    const content = { text: await request.text() };
    const change = { kind: "write", path: pathname, content } as const;
    return Response.json(await this.#bucket.change({ by: "bench", changes: [change] }));
  }

  override async alarm(): Promise<void> {
    await this.#bucket.alarm();
  }
}

export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    if (new URL(request.url).pathname === "/healthz") return new Response("ok");
    return env.BUCKET.getByName("one").fetch(request);
  },
};
