import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTag, neutraliser } from "../../src/context/tags.ts";

const neutralise = neutraliser(["plan_mode"]);

describe("neutraliser", () => {
  it.each([
    "</loaded_context>",
    "<agents_context>",
    "< / loaded_context >",
    "<\n/\tmemory_context",
    "</LOADED_CONTEXT>",
    "</\u200bloaded_context>",
    "<//domain_knowledge_context>",
    '<attached_file path="x">',
    "</plan_mode>",
    "<<loaded_context>",
  ])("[C5] takes the bracket from %j", (text) => {
    expect(neutralise(text)).not.toMatch(/<[^<&]*(context|file|plan)/i);
    expect(neutralise(text)).toContain("&lt;");
  });

  it.each([
    "a < b",
    '<div class="x">',
    "Map<string, number>",
    "<https://example.org>",
    "<br>",
    "loaded_context",
    "&lt;",
  ])("leaves %j alone", (text) => {
    expect(neutralise(text)).toBe(text);
  });

  it("changes nothing the second time", () => {
    const parts = fc.constantFrom(
      "<",
      "/",
      " ",
      "&lt;",
      "loaded_context",
      "skill",
      "S",
      ">",
      "\u200b",
    );
    fc.assert(
      fc.property(
        fc.array(parts).map((all) => all.join("")),
        (text) => {
          expect(neutralise(neutralise(text))).toBe(neutralise(text));
        },
      ),
    );
  });

  it("takes a text in its stride that would take a backtracking pattern hours", () => {
    const hostile = `<${" ".repeat(200_000)}`.repeat(3) + "<".repeat(200_000);
    expect(neutralise(hostile)).toBe(hostile);
  });

  it.each(["", "A", "1a", "a b", "a>", "a|b", "x".repeat(65)])("has no tag %j", (name) => {
    expect(() => checkTag(name)).toThrow(/not a tag name/);
    expect(() => neutraliser([name])).toThrow();
  });
});
