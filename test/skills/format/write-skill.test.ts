import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkSkill } from "../../../src/skills/format/check-skill.ts";
import { parseSkill } from "../../../src/skills/format/parse-skill.ts";
import { writeSkill } from "../../../src/skills/format/write-skill.ts";

const description = fc
  .oneof(
    fc.array(
      fc.constantFrom(
        "---",
        "\n",
        "\n---\n",
        "...",
        ": ",
        " #",
        '"',
        "'",
        "\\",
        "- ",
        "? ",
        "|",
        ">",
      ),
      { minLength: 1, maxLength: 8 },
    ),
    fc.array(
      fc.constantFrom(
        "a",
        "é",
        "日",
        "😀",
        "\u2028",
        "\u0085",
        "\ufeff",
        "\r",
        "\t",
        "\0",
        "\ud800",
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
    fc.array(
      fc.constantFrom(
        "true",
        "null",
        "1",
        "~",
        "%a",
        "@",
        "`",
        "[",
        "{",
        "&a",
        "*a",
        "!b",
        "a",
        " ",
      ),
      {
        minLength: 1,
        maxLength: 8,
      },
    ),
  )
  .map((parts) => parts.join(""));

const text = fc.oneof(description, fc.string({ unit: "binary", minLength: 1, maxLength: 60 }));

const metadata = fc.dictionary(
  fc.constantFrom("license", "__proto__", "x y", "a: b", "---", "1", "true"),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 2 })),
);

describe("a skill that is written", () => {
  it("[K1] says exactly what it was given, whatever that is", () => {
    fc.assert(
      fc.property(text, metadata, (given, more) => {
        fc.pre(given.trim() !== "");
        const written = writeSkill({
          name: "pdf",
          description: given,
          body: "# B",
          metadata: more,
        });
        const parsed = parseSkill(written, "pdf");
        expect(parsed).toMatchObject({ kind: "skill", body: "\n# B\n" });
        if (parsed.kind === "bad") return;
        expect(parsed.header.description).toBe(given);
        const read = new Map(Object.entries(parsed.header.metadata));
        expect(read).toEqual(new Map(Object.entries(more)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("[K1] looks as a person would write it", () => {
    const written = writeSkill({
      name: "pdf-forms",
      description: "Fills forms. Use it for PDF.",
      body: "\n\n    code\n\n",
      metadata: { license: "MIT", name: "other", metadata: { author: "ann" } },
    });
    expect(written).toBe(`---
name: pdf-forms
description: Fills forms. Use it for PDF.
license: MIT
metadata:
  author: ann
---

    code
`);
    const file = { path: "SKILL.md", content: { text: written }, executable: false };
    expect(checkSkill("pdf-forms", [file])).toMatchObject({ name: "pdf-forms", warnings: [] });
  });

  it("[K1] has no line of a description outside of it", () => {
    const written = writeSkill({ name: "a", description: "b\n---\nname: c\n", body: "d" });
    expect(written.split("\n").filter((line) => line === "---")).toHaveLength(2);
    expect(written.match(/^name:/gm)).toHaveLength(1);
  });
});
