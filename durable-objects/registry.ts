import { DurableObject } from "cloudflare:workers";
import { Registry } from "../src/maintenance/registry.ts";
import type { RegisteredSession, RegistryApi } from "../src/shared/registry-api.ts";
import { platformSql } from "./sql.ts";

/** One shard of the registry: `registryShard` names it. */
export class RegistryObject extends DurableObject implements RegistryApi {
  readonly #registry: Registry;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env as Cloudflare.Env);
    this.#registry = new Registry(platformSql(ctx.storage));
  }

  async registerSession(session: RegisteredSession) {
    this.#registry.registerSession(session);
  }

  async registerBucket(bucket: string, at: number) {
    this.#registry.registerBucket(bucket, at);
  }

  async markDirty(bucket: string, at: number) {
    this.#registry.markDirty(bucket, at);
  }

  async sessions(user: string, agent: string, cursor: string | null) {
    return this.#registry.sessions(user, agent, cursor);
  }

  async buckets(cursor: string | null) {
    return this.#registry.buckets(cursor);
  }
}
