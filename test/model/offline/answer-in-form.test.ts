import { describe, expect, it } from "vitest";
import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import { createTemplate } from "../../../src/workspace/layers/template.ts";
import { compileSchema } from "../../../src/turn/output/output-schema.ts";
import { ask, builtInTools, promptOver, seedFiles, timeless } from "../../support/talk.ts";
import { SessionLab } from "../../turn/session-lab.ts";

const model = createOfflineModel({ clock: timeless });
const system = promptOver(createTemplate(seedFiles(), "v"));

type Schema = Readonly<Record<string, unknown>>;

/** What is called for a message whose answer has to fit a schema. */
async function callsFor(text: string, inputSchema: Schema) {
  const answer = { name: "generate_response", description: "Answers.", inputSchema };
  const tools = [...builtInTools, answer];
  const content = [{ type: "text", text } as const];
  const { calls, text: said } = await ask(model, {
    system,
    tools,
    messages: [{ role: "user", content }],
  });
  expect(said).toBe("");
  return calls.map(({ name, input }) => [name, JSON.parse(input) as unknown] as const);
}

const object = (properties: Schema, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const schemas: readonly Schema[] = [
  { type: "object" },
  object({ answer: { type: "string" } }, { required: [] }),
  object({ a: { type: "string", maxLength: 5 }, b: { type: "string", minLength: 900 } }),
  object({ a: { type: "integer" }, b: { type: "number", minimum: 2.5 }, c: { type: "boolean" } }),
  object({ a: { type: "integer", exclusiveMinimum: 3, multipleOf: 4 } }),
  object({ a: { type: "integer", maximum: -3 }, b: { type: "number", exclusiveMaximum: -1 } }),
  object({ a: { enum: ["low", "high"] }, b: { const: 7 }, c: { type: ["null", "integer"] } }),
  object({ a: { type: "array", items: { type: "string" }, minItems: 2 }, b: { type: "array" } }),
  object({ a: { type: "array", prefixItems: [{ type: "integer" }, { const: "x" }], minItems: 2 } }),
  object({ a: object({ b: object({ c: { type: "string" } }) }), d: { type: "null" } }),
  object({ a: { anyOf: [{ type: "integer" }, { type: "null" }] } }),
  object({ a: { allOf: [{ $ref: "#/$defs/point" }] } }, { $defs: { point: object({ x: true }) } }),
  object(
    Object.fromEntries(
      "date-time date time duration email hostname ipv4 ipv6 uri uuid"
        .split(" ")
        .map((format) => [format, { type: "string", format }]),
    ),
  ),
  object(
    { tree: { $ref: "#/definitions/tree" } },
    {
      definitions: {
        tree: object({ inner: { anyOf: [{ $ref: "#/definitions/tree" }, { type: "null" }] } }),
      },
    },
  ),
];

describe("an answer that has to be JSON", () => {
  it.each(schemas.map((schema) => [JSON.stringify(schema), schema] as const))(
    "is given in the simplest way that fits %s",
    async (_, schema) => {
      const [call, ...more] = await callsFor("hello", schema);
      expect(more).toEqual([]);
      expect(call?.[0]).toBe("generate_response");
      expect(compileSchema(schema).problemsOf(call?.[1])).toEqual([]);
    },
  );

  it("has what would have been said where there is a text", async () => {
    const [call] = await callsFor("thanks", object({ answer: { type: "string" } }));
    expect(call?.[1]).toEqual({ answer: "You are welcome. Ask on whenever you like." });
  });

  it("is given after the tools that the message needs", async () => {
    const calls = await callsFor("what time is it?", object({ answer: { type: "string" } }));
    expect(calls).toEqual([["current_time", {}]]);
  });

  it("ends its turn at once, as that of a greeting", async () => {
    const lab = new SessionLab({ model });
    const output = { schema: object({ answer: { type: "string" } }) };
    const content = [{ type: "text", text: "Hello" }] as const;
    lab.say("t", { kind: "message", content, output });
    await lab.settle();
    expect(lab.story()).toBe("user step:tool-calls result:success end:completed");
    expect(lab.entries().at(-1)).toMatchObject({
      output: { answer: expect.stringMatching(/^Hello! /) as string },
    });
  });
});
