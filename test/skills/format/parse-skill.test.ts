import { describe, expect, it } from "vitest";
import { parseSkill } from "../../../src/skills/format/parse-skill.ts";

const withFront = (front: string, body = "# Body\n"): string => `---\n${front}\n---\n${body}`;

/** What of a skill's header a test is about. */
function headerOf(front: string, directory = "pdf") {
  const parsed = parseSkill(withFront(front), directory);
  if (parsed.kind === "bad") throw new Error(parsed.why);
  return parsed.header;
}

const whyBad = (text: string): string => {
  const parsed = parseSkill(text, "pdf");
  return parsed.kind === "bad" ? parsed.why : "";
};

describe("a skill that is as the rules ask", () => {
  it("[K1] is loaded without a warning, with every key of its front matter", () => {
    const text = withFront(
      `name: pdf
description: "Fills forms: use it for PDF."
license: MIT
allowed-tools: Read
metadata:
  author: ann
  versions: [1, 1.5, true, null]`,
      "# Body\n\n---\nrest",
    );
    expect(parseSkill(text, "skills/pdf")).toEqual({
      kind: "skill",
      header: {
        name: "pdf",
        description: "Fills forms: use it for PDF.",
        metadata: {
          license: "MIT",
          "allowed-tools": "Read",
          metadata: { author: "ann", versions: [1, 1.5, true, null] },
        },
        warnings: [],
      },
      body: "# Body\n\n---\nrest",
    });
  });

  it.each([
    ["a BOM", "\ufeff---\nname: pdf\ndescription: d\n---\nb"],
    ["blank lines before it", "\n \n\t\n---\nname: pdf\ndescription: d\n---\nb"],
    ["CRLF", "---\r\nname: pdf\r\ndescription: d\r\n---\r\nb"],
    ["CR", "---\rname: pdf\rdescription: d\r---\rb"],
    ["blanks after the hyphens", "--- \nname: pdf\ndescription: d\n---\t \nb"],
  ])("[K1] is found behind or in %s", (_, text) => {
    expect(parseSkill(text, "pdf")).toMatchObject({
      kind: "skill",
      header: { name: "pdf", description: "d", warnings: [] },
      body: "b",
    });
  });

  it.each([
    ["description: a --- b", "a --- b"],
    ["description: ---a", "---a"],
    ["description: |\n  a\n  ---\n  b", "a\n---\nb\n"],
    ["description: >-\n  a\n  b\n\n  c", "a b\nc"],
    ["description: a\n  b", "a b"],
    ["description: 日本語 # comment", "日本語"],
  ])("[K1] has the description of %j", (front, description) => {
    expect(headerOf(`name: pdf\n${front}`)).toMatchObject({ description, warnings: [] });
  });
});

describe("a skill that is not quite as the rules ask", () => {
  it.each([
    ["a colon in a value", "description: Use when: asked", "Use when: asked", /no YAML.*quotes/],
    ["a value that begins with an asterisk", "description: **b** c", "**b** c", /no YAML/],
    ["a value that begins with a list", "description: [OLD] c", "[OLD] c", /no YAML/],
    ["braces", "description: {{a}} b", "{{a}} b", /no YAML/],
    ["a quote that is left open", `description: "a`, `"a`, /no YAML/],
    ["quotes around quotes", `description: "a "b" c"`, `a "b" c`, /no YAML/],
    ["tabs as indentation", "description: |\n\ta\n\tb", "a\nb", /no YAML/],
    ["lines that go on at the left edge", "description: a: b\nc d", "a: b c d", /no YAML/],
    ["no space after the colon", "description:abc", "abc", /^Its name|no name/],
    ["a number", "description: 2024", "2024", /no text/],
    ["a key twice", "description: a\ndescription: b", "b", /twice/],
    ["a tag", "description: !!js/function 'a'", "a", /tags/],
    ["control characters", 'description: "a\\u0007"', "a\u0007", /control/],
  ])("[K1] is loaded with a warning: %s", (_, front, description, warning) => {
    const header = headerOf(front);
    expect(header.description).toBe(description);
    expect(header.warnings.join("\n")).toMatch(warning);
  });

  it.each([
    ["none", "", "pdf", /no name/],
    ["an empty one", "name:", "pdf", /no name/],
    ["a number", "name: 1.10", "1.10", /no text/],
    ["a boolean", "name: true", "true", /no text/],
    ["a date", "name: 2024-01-02", "2024-01-02", /not that of its directory/],
    ["a list", "name: [a]", "pdf", /list or a map/],
    ["another one than its directory", "name: docx", "docx", /not that of its directory/],
    ["capitals", "name: PDF", "PDF", /small letters/],
    ["two hyphens", "name: a--b", "a--b", /small letters/],
    ["65 characters", `name: ${"a".repeat(65)}`, "a".repeat(65), /more than 64/],
    ["129 characters", `name: ${"a".repeat(129)}`, "pdf", /too long/],
    ["two lines", 'name: "a\\nb"', "pdf", /one line/],
    ["hidden characters", 'name: "pdf\\u202e"', "pdf", /visible/],
  ])("[K1] has a name whatever its own is: %s", (_, front, name, warning) => {
    const header = headerOf(`${front}\ndescription: d`);
    expect(header.name).toBe(name);
    expect(header.warnings.join("\n")).toMatch(warning);
  });

  it("[K1] may have a name of other alphabets, in any Unicode form", () => {
    expect(headerOf("name: 資料-é\ndescription: d", "資料-e\u0301").warnings).toEqual([]);
  });

  it("[K1] has a name that can be used even when its directory's cannot", () => {
    expect(parseSkill(withFront("description: d"), "a\nb\u202e")).toMatchObject({
      header: { name: "a?b?" },
    });
    expect(parseSkill(withFront("description: d"), "")).toMatchObject({
      header: { name: "skill" },
    });
  });

  it("[K1] keeps a description that is too long, in full", () => {
    const header = headerOf(`name: pdf\ndescription: ${"x".repeat(1_025)}`);
    expect(header.description).toHaveLength(1_025);
    expect(header.warnings).toEqual(["Its description has more than 1024 characters."]);
    expect(headerOf(`name: pdf\ndescription: ${"😀".repeat(1_024)}`).warnings).toEqual([]);
  });

  it("[K1] may have an empty body", () => {
    expect(parseSkill(withFront("name: pdf\ndescription: d", " \n"), "pdf")).toMatchObject({
      kind: "skill",
      header: { warnings: ["Nothing is written below its header."] },
    });
  });

  it("[K1] keeps what else can be read when one value cannot", () => {
    const header = headerOf("tags: [a, b]\nbad: [\nnested:\n  x: [\ndescription: a: b");
    expect(header.metadata).toEqual({ tags: ["a", "b"], bad: "[" });
    expect(header.warnings.join("\n")).toMatch(/"nested" cannot be read/);
  });
});

describe("a skill that cannot be used", () => {
  it.each([
    ["nothing", "", /no front matter/],
    ["no front matter", "# Title\n", /no front matter/],
    ["another language", "---js\nmodule.exports = {}\n---\n", /no front matter/],
    ["front matter that is left open", "---\ndescription: d\n", /not closed/],
    ["empty front matter", "---\n---\nb", /empty/],
    ["no description", withFront("name: pdf"), /no description/],
    ["a blank description", withFront('description: " "'), /no description/],
    ["a list as description", withFront("description:\n  - a"), /list or a map/],
    ["a list as front matter", withFront("- a"), /no list of keys/],
    [
      "16,385 characters of it",
      withFront(`description: ${"x".repeat(16_371)}`),
      /longer than 16,384/,
    ],
  ])("[K1] is refused with the reason: %s", (_, text, why) => {
    expect(whyBad(text)).toMatch(why);
  });

  it("[K1] may have just 16,384 characters of front matter, whatever they take", () => {
    expect(headerOf(`description: ${"x".repeat(16_370)}`).description).toHaveLength(16_370);
    expect(headerOf(`description: ${"😀".repeat(16_370)}`).description).toHaveLength(32_740);
  });
});

describe("hostile front matter", () => {
  it("[K1] changes no prototype and gives objects without one", () => {
    const { metadata } = headerOf(
      "__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\na: {__proto__: {polluted: 1}}\ndescription: d",
    );
    expect(Object.keys(metadata)).toEqual(["__proto__", "constructor", "a"]);
    expect({}).not.toHaveProperty("polluted");
    expect(Object.getPrototypeOf(metadata)).toBeNull();
    expect(Object.getPrototypeOf(metadata.a)).toBeNull();
  });

  it("[K1] has at most ten levels and ten aliases; what has more is text", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
    expect(headerOf(`a: ${nested(10)}\ndescription: d`).metadata.a).toBeInstanceOf(Array);
    expect(headerOf(`a: ${nested(11)}\ndescription: d`).metadata.a).toBe(nested(11));
    const uses = (count: number) => `a: &x [1]\nb: [${"*x,".repeat(count)}]\ndescription: d`;
    expect(headerOf(uses(10)).metadata.b).toHaveLength(10);
    expect(headerOf(uses(11)).metadata.b).toBeTypeOf("string");
  });

  it("[K1] does not follow aliases into themselves", () => {
    expect(headerOf("a: &x [*x]\ndescription: d").metadata.a).toBe("&x [*x]");
  });

  it("[K1] keeps numbers as text that no number is exactly", () => {
    const { metadata } = headerOf(
      "a: 12345678901234567890\nb: .inf\nc: 1e3\nd: 2020-01-01\ndescription: d",
    );
    expect(metadata).toEqual({ a: "12345678901234567890", b: ".inf", c: 1_000, d: "2020-01-01" });
  });
});
