import { describe, expect, it } from "vitest";
import type { SkillFile } from "../../../src/shared/skill-facts.ts";
import { checkSkill } from "../../../src/skills/format/check-skill.ts";

const file = (path: string, text = "x"): SkillFile => ({
  path,
  content: { text },
  executable: false,
});

const main = (front: string, body = "# Body"): SkillFile =>
  file("SKILL.md", `---\n${front}\n---\n${body}`);

const good = main("name: pdf\ndescription: Fills forms.");
const withKey = (line: string): SkillFile => main(`name: pdf\ndescription: d\n${line}`);

const refusal = (files: readonly SkillFile[], name = "pdf") => {
  try {
    checkSkill(name, files);
    return null;
  } catch (error) {
    return error;
  }
};

describe("what a skill that is written has to be", () => {
  it("[K1] gives its header back", () => {
    const files = [
      main(`name: pdf
description: |
  Fills forms:\tall of them.
license: MIT
compatibility: Python 3
allowed-tools: Read Bash
metadata: {author: ann, version: 1}`),
      file("LICENSE.txt"),
      file("scripts/a.py"),
      { path: "assets/a.png", content: { bytes: new Uint8Array(1024 * 1024) }, executable: false },
    ];
    expect(checkSkill("pdf", files)).toEqual({
      name: "pdf",
      description: "Fills forms:\tall of them.\n",
      metadata: {
        license: "MIT",
        compatibility: "Python 3",
        "allowed-tools": "Read Bash",
        metadata: { author: "ann", version: 1 },
      },
      warnings: [],
    });
  });

  it.each([
    ["no SKILL.md", [file("a.md")], /needs a file SKILL\.md/],
    ["it in small letters", [good, file("skill.md")], /in capitals/],
    ["it below", [file("a/SKILL.md")], /needs a file/],
    ["it as bytes", [{ ...good, content: { bytes: new Uint8Array(1) } }], /UTF-8/],
    ["100,001 characters", [main("name: pdf\ndescription: d", "x".repeat(100_000))], /references/],
    ["a file twice", [good, file("a"), file("a")], /twice/],
    ["a path of another spelling", [good, file("./a")], /has to be written "a"/],
    ["a path that goes up", [good, file("../a")], /must not contain/],
    ["an absolute path", [good, file("/a")], /must not begin/],
    ["a file that is a directory", [good, file("a"), file("a/b/c")], /both/],
    ["a file above 1 MiB", [good, file("a", "é".repeat(524_289))], /larger than 1 MiB/],
    ["301 files", [good, ...Array.from({ length: 300 }, (_, no) => file(`a${no}`))], /300 files/],
    [
      "more than 10 MiB",
      [good, ...Array.from({ length: 11 }, (_, no) => file(`a${no}`, "x".repeat(1_000_000)))],
      /larger than 10 MiB/,
    ],
    ["no front matter", [file("SKILL.md", "# Title")], /no front matter/],
    ["no YAML", [main("name: pdf\ndescription: a: b")], /not YAML.*quotes/],
    ["a key twice", [withKey("license: a\nlicense: b")], /twice/],
    ["a tag", [withKey("license: !!x a")], /tags/],
    ["no name", [main("description: d")], /name: pdf/],
    ["another name", [main("name: docx\ndescription: d")], /name: pdf/],
    ["a number as name", [main("name: 1\ndescription: d")], /"name" has to be a text/],
    ["no description", [main("name: pdf")], /needs a description/],
    ["a blank one", [main('name: pdf\ndescription: " \\n"')], /needs a description/],
    ["a list as one", [main("name: pdf\ndescription: [a]")], /has to be a text/],
    ["1,025 characters of it", [main(`name: pdf\ndescription: ${"é".repeat(1_025)}`)], /1024/],
    ["control characters", [main('name: pdf\ndescription: "a\\e[1m"')], /control/],
    ["a CR in it", [main('name: pdf\ndescription: "a\\rb"')], /control/],
    ["a key that nobody knows", [withKey("version: 1")], /under `metadata`/],
    ["a prototype", [withKey("__proto__: a")], /under `metadata`/],
    ["a list of tools", [withKey("allowed-tools: [a]")], /has to be a text/],
    ["501 characters of needs", [withKey(`compatibility: ${"x".repeat(501)}`)], /500/],
    ["a list as metadata", [withKey("metadata: [a]")], /a map/],
    ["metadata in metadata", [withKey("metadata: {a: {b: c}}")], /a map/],
    ["an empty body", [main("name: pdf\ndescription: d", " \n")], /needs instructions/],
  ] satisfies [string, SkillFile[], RegExp][])(
    "[K1] refuses %s, with how to mend it",
    (_, files, message) => {
      expect(refusal(files)).toMatchObject({
        name: "CarrelError",
        code: "invalid",
        message: expect.stringMatching(message),
      });
    },
  );

  it.each([
    "",
    "PDF",
    "a--b",
    "-a",
    "a-",
    "a_b",
    "a.b",
    "é",
    "../a",
    "a/b",
    "__proto__",
    "a".repeat(65),
  ])("[K1] refuses the name %j", (name) => {
    const files = [main(`name: ${JSON.stringify(name)}\ndescription: d`)];
    expect(refusal(files, name)).toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/small letters/),
    });
  });

  it.each(["a", "1", "constructor", "pdf-forms-2", "a".repeat(64)])(
    "[K1] takes the name %j",
    (name) => {
      expect(refusal([main(`name: "${name}"\ndescription: a < b > c`)], name)).toBeNull();
    },
  );
});
