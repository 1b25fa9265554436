import { beforeEach, describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { breathe, clientOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const schema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
  },
  required: ["name", "tags"],
  additionalProperties: false,
  $defs: { tag: { anyOf: [{ enum: ["a", "b"] }, { type: "integer" }] } },
};
const value = { name: "Ulm", tags: ["a", 7] };

const answer = (given: unknown): ScriptedStep => ({
  calls: [{ name: "generate_response", input: JSON.stringify(given) }],
});
const ask = (session: string, ...steps: ScriptedStep[]) => {
  const client = clientOf(session);
  const body = { message: script(...steps), output: { schema } };
  return client.talk("t1", body).then(() => client.streams[0]?.at(-1)?.event);
};

describe("an answer as JSON, in workerd", () => {
  it("is checked, mended once, and given with the end of the turn", async () => {
    const end = await ask("mended", answer({ name: "", tags: ["c"] }), answer(value));
    expect(end).toMatchObject({ type: "turn-end", outcome: "completed", output: value, steps: 2 });
    const told = JSON.stringify(outside().witness.requests.at(-1)?.messages.at(-1));
    expect(told).toContain("name: expected at least 1 characters");
    expect(told).toContain("tags[0]: expected ");
  });

  it("may be said as a text", async () => {
    const text = `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
    expect(await ask("said", { text })).toMatchObject({ outcome: "completed", output: value });
  });

  it("fails the turn where it never comes", async () => {
    const end = await ask("never", answer({}), answer({ name: 1 }));
    expect(end).toMatchObject({ outcome: "failed", error: { code: "output_invalid" }, steps: 2 });
  });
});
