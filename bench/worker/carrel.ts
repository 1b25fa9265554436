import * as z from "zod";
export { RegistryObject } from "../../durable-objects/registry.ts";
import { sessionObject } from "../../durable-objects/session.ts";
import { workspaceObject } from "../../durable-objects/workspace.ts";
import type { Env } from "../../src/env.ts";
import { defineAgent } from "../../src/define-agent.ts";
import { createDeployment } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createTemplate } from "../../src/workspace/layers/template.ts";
import { SYSTEM_PROMPT } from "./system-prompt.ts";

const getTime = defineTool({
  name: "get_time",
  description: "Current time in a time zone",
  input: z.strictObject({ tz: z.string() }),
  effect: "read",
  replay: "pure",
  run: ({ tz }, { now }) => JSON.stringify({ tz, now: new Date(now()).toISOString() }),
});

/** The real thing, except that the agent's persona comes from here and that about 20 messages are in its context. */
const deployment = createDeployment(
  [
    defineAgent({
      id: "bench",
      systemPrompt: SYSTEM_PROMPT,
      tools: [getTime],
      compaction: { triggerMessages: 0, triggerTokens: 4_000, keepTokens: 2_000 },
    }),
  ],
  createTemplate({}, "none"),
);

export class SessionObject extends sessionObject(deployment) {}

/** A store that takes everything and keeps nothing: bare workerd has no R2, and no turn waits for it. */
const WORKSPACE = {
  get: async () => null,
  put: async () => ({ etag: "kept" }),
  delete: async () => {},
  list: async () => ({ objects: [], truncated: false }),
};

export class WorkspaceObject extends workspaceObject(deployment) {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, WORKSPACE });
  }
}

export default { fetch: createApp(deployment).fetch };
