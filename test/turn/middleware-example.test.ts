import * as z from "zod";
import { describe, expect, it } from "vitest";
import { createDeployment } from "../../src/harness.ts";
import type { Env } from "../../src/env.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { readText } from "../support/source.ts";
import { quiet } from "./after-turn-lab.ts";
import { shopRules } from "./middleware-example.ts";
import { SessionLab } from "./session-lab.ts";

const doc = readText("docs/capabilities.md");
const HOUR_MS = 3_600_000;

/** A shop's session, and what happened outside of it. */
function shop() {
  const asked: string[] = [];
  const counted = new Map<string, number>();
  const counter = {
    count: async (key: string, tokens: number) => void counted.set(key, tokens),
  };
  const tool = (name: string) =>
    defineTool({
      name,
      description: "A tool of the shop.",
      input: z.strictObject({ of: z.string() }),
      effect: name === "refund" ? "external" : "read",
      replay: name === "refund" ? "unsafe" : "pure",
      async run({ of }) {
        asked.push(`${name}:${of}`);
        return `${name} of ${of}`;
      },
    });
  const lab = new SessionLab({
    tools: [tool("exchange_rate"), tool("refund")],
    capabilities: [shopRules(counter)],
  });
  return { lab, asked, counted };
}

const call = (name: string, of: string) => ({ calls: [{ name, input: JSON.stringify({ of }) }] });

describe("the example in docs/capabilities.md", () => {
  it("is the code that is tested here", () => {
    const code = readText("test/turn/middleware-example.ts").replaceAll('"../../src/', '"./');
    const blocks = [...doc.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(blocks).toContain(code);
  });

  it("hides card numbers from the model, and only from it", async () => {
    const { lab } = shop();
    lab.say("t", "Charge 4111 1111 1111 1111, for order 1234567.");
    await lab.settle();
    const sent = JSON.stringify(lab.witness.requests);
    expect(sent).toContain("Charge [card number], for order 1234567.");
    expect(JSON.stringify(lab.entries()[0])).toContain("4111 1111 1111 1111");
  });

  it("adds its section to the prompt", async () => {
    const { lab } = shop();
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.witness.requests[0]?.system).toMatch(/<shop_rules>\s*All prices are in euros\./);
  });

  it("asks for a rate once an hour, whatever else is asked meanwhile", async () => {
    const { lab, asked } = shop();
    lab.say("a", [call("exchange_rate", "USD"), call("exchange_rate", "CHF"), { text: "ok" }]);
    await lab.settle();
    lab.say("b", [call("exchange_rate", "USD"), { text: "ok" }]);
    await lab.settle();
    expect(asked).toEqual(["exchange_rate:USD", "exchange_rate:CHF"]);
    await lab.clock.pass(HOUR_MS);
    lab.say("c", [call("exchange_rate", "USD"), { text: "ok" }]);
    await lab.settle();
    expect(asked).toHaveLength(3);
    const results = lab.entries().filter((entry) => entry.kind === "result");
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("success"));
  });

  it("[A1] refuses a refund at night, in words for the model, and lets it be made by day", async () => {
    const { lab, asked } = shop();
    lab.say("night", [call("refund", "order 7"), { text: "ok" }]);
    await lab.settle();
    expect(asked).toEqual([]);
    expect(JSON.stringify(lab.witness.requests.at(-1)?.messages)).toContain("8:00 to 18:00 UTC");
    await lab.clock.pass(9 * HOUR_MS);
    lab.say("day", [call("refund", "order 7"), { text: "ok" }]);
    await lab.settle();
    expect(asked).toEqual(["refund:order 7"]);
  });

  it("counts each turn once", async () => {
    const { lab, counted } = shop();
    lab.say("a", [call("exchange_rate", "USD"), { text: "ok" }]);
    await lab.settle();
    lab.say("b", "hi");
    await lab.settle();
    await quiet(lab);
    expect([...counted]).toEqual([
      ["main/ann/s1/a", 30],
      ["main/ann/s1/b", 15],
    ]);
  });
});

describe("the order of capabilities in docs/capabilities.md", () => {
  it("is that of an agent which has them all", () => {
    const own = [{ name: "mine" }, { name: "also mine" }];
    const options = { enablePlanMode: true, enableTaskList: true, dailyTokens: 1_000 };
    const deployment = createDeployment([{ id: "main", capabilities: own, ...options }]);
    const { capabilities } = deployment.harness("main", {} as Env);
    const listed = [...doc.matchAll(/^\d+\. (?:`([\w-]+)`:|the definition's `capabilities`)/gm)];
    const names = listed.flatMap(([, name]) => name ?? own.map((mine) => mine.name));
    expect(names.length).toBeGreaterThan(own.length);
    expect(capabilities.map(({ name }) => name)).toEqual(names);
  });

  it("has no spans where they are turned off", () => {
    const deployment = createDeployment([{ id: "main", telemetry: { spans: false } }]);
    const { capabilities } = deployment.harness("main", {} as Env);
    expect(capabilities.map(({ name }) => name)).not.toContain("telemetry");
  });
});
