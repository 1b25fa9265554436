import { sessionObject } from "../../durable-objects/session.ts";
import { defineAgent } from "../../src/define-agent.ts";
import { createDeployment } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import type { Model } from "../../src/model/model.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { outside } from "./outside.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { createScriptedTools } from "./scripted-tools.ts";

/** Asks for the outside world at each call, so that a test may replace it. */
const model: Model = {
  id: "scripted",
  stream: (request, signal) =>
    createScriptedModel(outside().witness, outside().pause).stream(request, signal),
};

const tools: Tool[] = createScriptedTools(outside().effects).map((tool) => ({
  ...tool,
  prepare: (input) => {
    const current = createScriptedTools(outside().effects, outside().pause).find(
      ({ name }) => name === tool.name,
    );
    return (current ?? tool).prepare(input);
  },
}));

const deployment = createDeployment([
  defineAgent({ id: "main" }),
  defineAgent({
    id: "scripted",
    model,
    tools,
    modelRetry: { attempts: 3, minDelayMs: 1, maxDelayMs: 2 },
  }),
  defineAgent({
    id: "after",
    model,
    tools,
    capabilities: [
      {
        name: "after",
        async afterTurn({ turn }, entries) {
          await outside().pause();
          outside().afterTurns.push({ turn, entries: entries.length });
        },
      },
    ],
  }),
  defineAgent({ id: "frugal", model, tools, limits: { maxTurnTokens: 40 } }),
]);

/** The real session object, except that a test may end it at any point. */
export class SessionObject extends sessionObject(deployment) {
  protected override point = (name: string): void => {
    if (outside().onPoint?.(name, this.ctx.id.name ?? "") === true) this.ctx.abort("crash");
  };
}

export default { fetch: createApp(deployment).fetch };
