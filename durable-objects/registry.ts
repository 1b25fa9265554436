import { DurableObject } from "cloudflare:workers";
import { Registry } from "../src/maintenance/registry.ts";
import type {
  RegisteredSession,
  RegistryApi,
  SessionNews,
  Spent,
  UserSettings,
} from "../src/shared/registry-api.ts";
import type { PassRequest, PassStep, UpkeepNote } from "../src/shared/upkeep-api.ts";
import { platformSql } from "./sql.ts";

/** One shard of the registry: `registryShard` names it. */
export class RegistryObject extends DurableObject implements RegistryApi {
  readonly #registry: Registry;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env as Cloudflare.Env);
    this.#registry = new Registry(platformSql(ctx.storage));
  }

  async registerSession(session: RegisteredSession) {
    return this.#registry.registerSession(session);
  }

  async updateSession(agent: string, user: string, session: string, news: SessionNews) {
    return this.#registry.updateSession(agent, user, session, news);
  }

  async settings(user: string) {
    return this.#registry.settings(user);
  }

  async setSettings(user: string, settings: UserSettings) {
    this.#registry.setSettings(user, settings);
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

  async dirtyBuckets(cursor: string | null, limit: number, now: number) {
    return this.#registry.dirtyBuckets(cursor, limit, now);
  }

  async dirtyBucket(bucket: string) {
    return this.#registry.dirtyBucket(bucket);
  }

  async noteUpkeep(notes: readonly UpkeepNote[], now: number) {
    this.#registry.noteUpkeep(notes, now);
  }

  async backlog() {
    return this.#registry.backlog();
  }

  async claimPass(request: PassRequest) {
    return this.#registry.claimPass(request);
  }

  async movePass(step: PassStep) {
    return this.#registry.movePass(step);
  }

  async leavePass(holder: string) {
    this.#registry.leavePass(holder);
  }

  async passes() {
    return this.#registry.passes();
  }

  async sessions(user: string, agent: string, cursor: string | null) {
    return this.#registry.sessions(user, agent, cursor);
  }

  async buckets(cursor: string | null) {
    return this.#registry.buckets(cursor);
  }
}
