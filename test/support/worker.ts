export { RegistryObject } from "../../durable-objects/registry.ts";
import { sessionObject } from "../../durable-objects/session.ts";
import { workspaceObject } from "../../durable-objects/workspace.ts";
import type { Env } from "../../src/env.ts";
import { createApp } from "../../src/http/app.ts";
import { deployment } from "./agents.ts";
import { outside } from "./outside.ts";

/** The real session object, except that a test may end it at any point. */
export class SessionObject extends sessionObject(deployment) {
  protected override point = (name: string): void => {
    if (outside().onPoint?.(name, this.ctx.id.name ?? "") === true) this.ctx.abort("crash");
  };
}

/** The real workspace object, except that a test may end it at any point, and give it other variables. */
export class WorkspaceObject extends workspaceObject(deployment) {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, ...outside().variables });
  }

  protected override point = (name: string): void => {
    if (outside().onPoint?.(name, this.ctx.id.name ?? "") === true) this.ctx.abort("crash");
  };
}

export default { fetch: createApp(deployment).fetch };
