import * as z from "zod";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { defineClientTool } from "../../src/tools/define-client-tool.ts";

const place = defineClientTool({
  name: "get_place",
  description: "Where the person is.",
  input: z.strictObject({ exact: z.boolean().default(false) }),
  output: z.strictObject({ city: z.string().min(2), street: z.string().optional() }),
  effect: "read",
});

const any = defineClientTool({ name: "any", description: "", input: z.strictObject({}) });

function complaint(accept: () => unknown): string {
  try {
    accept();
  } catch (error) {
    expect(error).toBeInstanceOf(CarrelError);
    expect(error).toMatchObject({ code: "invalid" });
    return error instanceof Error ? error.message : "";
  }
  return "accepted";
}

describe("defineClientTool", () => {
  it("describes itself as any tool, and says that the client runs it", () => {
    expect(place).toMatchObject({ name: "get_place", effect: "read", runsOn: "client" });
    expect(place.inputSchema).toEqual({
      type: "object",
      additionalProperties: false,
      properties: { exact: { type: "boolean", default: false } },
    });
    expect(place.inputSchema).toBe(place.inputSchema);
    expect(place).not.toHaveProperty("replay");
    expect(any.effect).toBe("external");
  });

  it("refuses a name that providers refuse", () => {
    expect(() => defineClientTool({ name: "a b", description: "", input: z.object({}) })).toThrow(
      'not a tool name: "a b"',
    );
  });

  it("validates arguments as any tool does", () => {
    expect(place.prepare({})).toEqual({ data: { exact: false } });
    expect(place.prepare(undefined)).toEqual({ data: { exact: false } });
    expect(complaint(() => place.prepare({ exact: "yes" }))).toBe(
      'The arguments of get_place are not valid, so it did not run:\n- exact: expected a boolean, got "yes"\nCall it again with these corrected.',
    );
  });

  it("tells rules what a call is about", () => {
    const open = defineClientTool({
      name: "open",
      description: "",
      input: z.strictObject({ url: z.string() }),
      subjects: ({ url }) => ({ urls: [url] }),
      check: ({ url }) =>
        url.startsWith("http:") ? { verdict: "deny", reason: "Use https." } : { verdict: "pass" },
    });
    expect(open.prepare({ url: "http://a.example" })).toEqual({
      data: { url: "http://a.example" },
      subjects: { urls: ["http://a.example"] },
      verdict: { verdict: "deny", reason: "Use https." },
    });
  });

  it("takes a result of its shape, as JSON", () => {
    expect(place.accept({ city: "Ulm" })).toEqual([{ type: "text", text: '{"city":"Ulm"}' }]);
  });

  it.each([
    [
      { city: "U" },
      /^The result of get_place .*\n- city: expected at least 2 characters, got "U"\n/,
    ],
    [{}, /- city: expected a string, it is missing/],
    [{ city: "Ulm", zip: 1 }, /- unknown field "zip"\./],
    ["Ulm", /- expected an object, got "Ulm"/],
    [undefined, /- expected an object, it is missing/],
  ])("refuses %j and tells the client how to mend it", (output, message) => {
    const said = complaint(() => place.accept(output));
    expect(said).toMatch(message);
    expect(said).toMatch(/Send it again with these corrected\.$/);
  });

  it.each([
    ["plain text", "plain text"],
    ["", ""],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [null, "null"],
    [false, "false"],
  ])("takes %j where no shape is asked for", (output, text) => {
    expect(any.accept(output)).toEqual([{ type: "text", text }]);
  });

  it("takes up to 100,000 characters", () => {
    expect(any.accept("x".repeat(100_000))).toHaveLength(1);
    expect(complaint(() => any.accept("x".repeat(100_001)))).toMatch(
      /has 100001 characters, at most 100000/,
    );
    expect(complaint(() => any.accept(["x".repeat(100_000)]))).toMatch(/at most 100000/);
    expect(complaint(() => any.accept(undefined))).toMatch(/is missing\. Send a text or JSON/);
  });
});
