export { RegistryObject } from "../durable-objects/registry.ts";
import { sessionObject } from "../durable-objects/session.ts";
import { workspaceObject } from "../durable-objects/workspace.ts";
import { agents } from "./agent.ts";
import { createDeployment } from "./harness.ts";
import { createApp } from "./http/app.ts";
import type { Env } from "./env.ts";
import { scheduledMaintenance } from "./maintenance/run.ts";

const deployment = createDeployment(agents);
const app = createApp(deployment);

/** One object a session. */
export class SessionObject extends sessionObject(deployment) {}

/** One object a bucket of files. */
export class WorkspaceObject extends workspaceObject(deployment) {}

export default {
  fetch: app.fetch,
  /** The cron's upkeep: `docs/memory.md`. */
  scheduled(_event: unknown, env: Env, ctx: { waitUntil(work: Promise<unknown>): void }) {
    ctx.waitUntil(scheduledMaintenance(() => deployment.maintenance(env)));
  },
};
