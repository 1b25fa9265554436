import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainLines } from "../../../src/shared/front-matter/plain-lines.ts";
import { readYamlMap, yamlBudget } from "../../../src/shared/front-matter/yaml.ts";

const piece = fc.oneof(
  fc.constantFrom(
    ": ",
    " #",
    ":",
    "#",
    "'",
    '"',
    "\\",
    " ",
    "-",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&",
    "*",
  ),
  fc.constantFrom(
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "?",
    "a",
    "true",
    "null",
    "12",
    "é",
    "日",
    "😀",
    "\t",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);

const value = fc
  .tuple(fc.constantFrom("", "a", "B", '"', "'"), fc.array(piece, { maxLength: 8 }))
  .chain(([first, rest]) =>
    fc.constantFrom("", first).map((last) => `${first}${rest.join("")}${last}`),
  );

const front = fc
  .array(fc.tuple(fc.constantFrom("name", "description", "x-1", "on", "a_b"), value), {
    minLength: 1,
    maxLength: 4,
  })
  .map((entries) => entries.map(([key, text]) => `${key}: ${text}`).join("\n"));

describe("lines of plain text", () => {
  it("[K1] are read as YAML has them, or not at all", () => {
    let plain = 0;
    fc.assert(
      fc.property(front, (source) => {
        const values = readPlainLines(source);
        if (!values) return;
        plain += 1;
        const yaml = readYamlMap(source, yamlBudget());
        const expected = Array.from(values, ([key, text]) => [key, { plain: text, text }]);
        expect(yaml).toMatchObject({ kind: "map", warnings: [] });
        expect(yaml.kind === "map" ? [...yaml.values] : []).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });

  it.each([
    "a: b\na: c",
    "a: b: c",
    "a: b #c",
    "a: b ",
    "a: true",
    "a: Null",
    "a: 1",
    "a: [b]",
    "",
    "a:b",
  ])("[K1] leave %j to YAML", (source) => {
    expect(readPlainLines(source)).toBeNull();
  });
});
