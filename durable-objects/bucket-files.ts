import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";
import type { Deployment } from "../src/harness.ts";
import { bucketPrefix, parseBucketKey, type BucketKey } from "../src/shared/bucket-key.ts";
import { systemClock } from "../src/shared/clock.ts";
import { consoleLog } from "../src/shared/log.ts";
import { noPoint, type Point } from "../src/shared/point.ts";
import type {
  GlobRequest,
  GrepRequest,
  PageRequest,
  ReadManyRequest,
  ReadRequest,
  SearchRequest,
  TreeRequest,
  WorkspaceApi,
} from "../src/shared/workspace-api.ts";
import type { SnapshotRequest } from "../src/shared/workspace-snapshot.ts";
import type { ChangeRequest, ImportPage } from "../src/shared/workspace-changes.ts";
import { WorkspaceBucket } from "../src/workspace/bucket.ts";
import { answered } from "./answered.ts";
import { platformSql } from "./sql.ts";

/** The class of objects that own the files of a bucket, each its only writer. It decides nothing. */
export function filesObject(deployment: Deployment) {
  return class extends DurableObject<Env> implements WorkspaceApi {
    readonly #key: BucketKey;
    protected readonly bucket: WorkspaceBucket;
    /** Free in production; crash tests end the object here. */
    protected point: Point = noPoint;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      const bucket = parseBucketKey(ctx.id.name);
      this.#key = bucketPrefix(bucket);
      this.bucket = new WorkspaceBucket({
        ...deployment.bucket(bucket, env),
        key: this.#key,
        sql: platformSql(ctx.storage),
        clock: systemClock,
        setAlarm: (at) => void ctx.storage.setAlarm(at),
        breathe: () => new Promise((resolve) => setTimeout(resolve, 0)),
        point: (name) => this.point(name),
        log: consoleLog,
      });
    }

    snapshot(bucket: string, request: SnapshotRequest) {
      return this.answer("snapshot", bucket, async () => ({
        snapshot: await this.bucket.snapshot(request),
      }));
    }

    tree(bucket: string, request: TreeRequest) {
      return this.answer("tree", bucket, () => this.bucket.tree(request));
    }

    read(bucket: string, request: ReadRequest) {
      return this.answer("read", bucket, () => this.bucket.read(request));
    }

    readMany(bucket: string, request: ReadManyRequest) {
      return this.answer("readMany", bucket, () => this.bucket.readMany(request));
    }

    page(bucket: string, request: PageRequest) {
      return this.answer("page", bucket, () => this.bucket.page(request));
    }

    glob(bucket: string, request: GlobRequest) {
      return this.answer("glob", bucket, () => this.bucket.glob(request));
    }

    grep(bucket: string, request: GrepRequest) {
      return this.answer("grep", bucket, () => this.bucket.grep(request));
    }

    change(bucket: string, request: ChangeRequest) {
      return this.answer("change", bucket, async () => ({
        changed: await this.bucket.change(request),
      }));
    }

    search(bucket: string, request: SearchRequest) {
      return this.answer("search", bucket, () => this.bucket.search(request));
    }

    history(bucket: string, path: string) {
      return this.answer("history", bucket, async () => ({
        versions: await this.bucket.history(path),
      }));
    }

    manifest(bucket: string, known: number | null) {
      return this.answer("manifest", bucket, async () => ({
        manifest: await this.bucket.manifest(known),
      }));
    }

    rescan(bucket: string) {
      return this.answer("rescan", bucket, async () => ({ report: await this.bucket.rescan() }));
    }

    usage(bucket: string) {
      return this.answer("usage", bucket, async () => ({ usage: await this.bucket.usage() }));
    }

    stageImport(bucket: string, id: string, page: ImportPage) {
      return this.answer("stageImport", bucket, () => this.bucket.stageImport(id, page));
    }

    commitImport(bucket: string, id: string, by: string) {
      return this.answer("commitImport", bucket, () => this.bucket.commitImport(id, by));
    }

    checkImport(bucket: string, id: string, by: string) {
      return this.answer("checkImport", bucket, () => this.bucket.checkImport(id, by));
    }

    dropImport(bucket: string, id: string) {
      return this.answer("dropImport", bucket, () => this.bucket.dropImport(id));
    }

    erase(bucket: string) {
      return this.answer("erase", bucket, async () => ({ isEmpty: await this.bucket.erase() }));
    }

    override async alarm(): Promise<void> {
      this.point("alarm:before");
      await this.bucket.alarm();
      this.point("alarm:after");
    }

    /** Expected failures leave as data: error classes do not survive the way to the caller. */
    protected answer<Result extends object>(
      name: string,
      bucket: string,
      work: () => Promise<Result>,
    ) {
      const isMeant = bucket === this.#key;
      return answered({ name, isMeant, point: (at) => this.point(at) }, work);
    }
  };
}
