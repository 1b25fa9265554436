import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";

const base = "http://localhost/v1/agents/scripted/sessions";

const post = (session: string, message: string) =>
  exports.default.fetch(`${base}/${session}/turns`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ message }),
  });

describe("a turn", () => {
  it("[S2] streams a text turn", async () => {
    const { witness, effects } = resetOutside();
    const text = await (
      await post(
        "s1",
        script({ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "done it" }),
      )
    ).text();
    expect(text).toContain('"type":"turn-end"');
    expect(text).toContain('"outcome":"completed"');
    expect(witness.requests.length).toBe(2);
    expect(effects.runs).toEqual(["unsafe_thing:x"]);
  });
});
