import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/permissions/canonical-json.ts";
import { callDigest, type Digested } from "../../src/permissions/digest.ts";
import { noRules } from "./asking.ts";
import { rules } from "./rules-of-chance.ts";

const base: Digested = {
  tool: {
    name: "mail",
    description: "Sends a mail.",
    effect: "external",
    inputSchema: { type: "object", properties: { to: { type: "string" } } },
    replay: "unsafe",
  },
  input: { to: "ann", count: 1 },
  operator: { allow: [{ tool: "a" }], ask: [], deny: [] },
};

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries.reverse());
}

describe("callDigest", () => {
  it.each<[string, Digested]>([
    ["name", { ...base, tool: { ...base.tool, name: "mail2" } }],
    ["description", { ...base, tool: { ...base.tool, description: "Sends a mail" } }],
    ["effect", { ...base, tool: { ...base.tool, effect: "write" } }],
    ["schema", { ...base, tool: { ...base.tool, inputSchema: { type: "object" } } }],
    ["replay", { ...base, tool: { ...base.tool, replay: "pure" } }],
    ["side", { ...base, tool: { ...base.tool, runsOn: "client" } }],
    ["arguments", { ...base, input: { to: "ann", count: "1" } }],
    ["arguments, one less", { ...base, input: { to: "ann" } }],
    ["allow rules", { ...base, operator: noRules }],
    ["ask rules", { ...base, operator: { ...base.operator, ask: [{ tool: "a" }] } }],
    ["deny rules", { ...base, operator: { ...base.operator, deny: [{ tool: "a", path: "b" }] } }],
  ])("[A4] is another one for another %s", async (_, changed) => {
    expect(await callDigest(changed)).not.toBe(await callDigest(base));
  });

  it("[A4] is the same for the same, in any order of keys and with any more fields", async () => {
    const digest = await callDigest(base);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await callDigest(reversed(base) as Digested)).toBe(digest);
    const more = { ...base, operator: { ...base.operator, mode: "DEFAULT" }, turn: "t" };
    expect(await callDigest(more)).toBe(digest);
  });

  it("[A4] tells any two values apart, and no two orders of keys", async () => {
    const digestOf = (input: unknown) => callDigest({ ...base, input });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect((await digestOf(one)) === (await digestOf(other))).toBe(isSame);
        expect(await digestOf(reversed(one))).toBe(await digestOf(one));
      }),
    );
  });

  it("[A4] is another one for other rules", async () => {
    const digestOf = (deny: Digested["operator"]["deny"]) =>
      callDigest({ ...base, operator: { ...noRules, deny } });
    await fc.assert(
      fc.asyncProperty(rules, rules, async (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect((await digestOf([one])) === (await digestOf([other]))).toBe(isSame);
      }),
    );
  });
});

describe("canonicalJson", () => {
  it("is JSON that says the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("writes numbers and characters as JSON does, and sorts keys by their units", () => {
    expect(canonicalJson({ b: [1e21, -0, 0.1], a: "\u2028\ud800é\n", "10": 1, "9": 2 })).toBe(
      String.raw`{"10":1,"9":2,"a":"${"\u2028"}\ud800é\n","b":[1e+21,0,0.1]}`,
    );
    expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
  });

  it("goes as deep as the value does", () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(canonicalJson(value)).toHaveLength(200_001);
  });
});
