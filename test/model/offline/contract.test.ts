import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import type { Scenario } from "../../contracts/model-contract.ts";
import { modelContract } from "../../contracts/model-contract.ts";
import { timeless } from "../../support/talk.ts";

const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
const said: Readonly<Partial<Record<Scenario, string>>> = {
  text: "count to 200",
  "tool-call": '/tool look {"at":1}',
  "parallel-tool-calls": '/tool look {"at":1}\n/tool look {"at":2}',
  length: "count to 200",
};

modelContract("the offline model", () => ({
  can: ["text", "tool-call", "parallel-tool-calls", "length"],
  ask: (scenario) => ({
    model: createOfflineModel({ clock: timeless }),
    request: {
      system: "",
      tools,
      messages: [{ role: "user", content: [{ type: "text", text: said[scenario] ?? "" }] }],
      ...(scenario === "length" && { maxOutputTokens: 20 }),
    },
  }),
}));
