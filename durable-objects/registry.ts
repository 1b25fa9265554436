import { DurableObject } from "cloudflare:workers";
import { Registry } from "../src/maintenance/registry.ts";
import type {
  RegisteredSession,
  RegistryApi,
  SessionNews,
  Spent,
} from "../src/shared/registry-api.ts";
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

  async updateSession(agent: string, user: string, session: string, news: SessionNews) {
    this.#registry.updateSession(agent, user, session, news);
  }

  async removeSession(agent: string, user: string, session: string) {
    this.#registry.removeSession(agent, user, session);
  }

  async listSessions(user: string, agent: string, cursor: string | null, limit: number) {
    return this.#registry.listSessions(user, agent, cursor, limit);
  }

  async recordSpent(user: string, day: string, spent: readonly Spent[]) {
    this.#registry.recordSpent(user, day, spent);
  }

  async spent(user: string, day: string) {
    return this.#registry.spent(user, day);
  }

  async registerBucket(bucket: string, at: number) {
    this.#registry.registerBucket(bucket, at);
  }

  async removeBucket(bucket: string) {
    this.#registry.removeBucket(bucket);
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
