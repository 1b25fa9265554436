import { describe, expect, it } from "vitest";
import { contentOf, layOver } from "../../../src/workspace/layers/lay-over.ts";
import { createTemplate, type TemplateContent } from "../../../src/workspace/layers/template.ts";
import { at } from "../../support/layers.ts";

const lower = createTemplate(
  {
    "AGENTS.md": { text: "lower" },
    "skills/a/SKILL.md": { text: "lower" },
    "skills/a/run.sh": { text: "lower" },
    "skills/b/SKILL.md": { text: "lower" },
    "logo.png": { base64: btoa("\xff") },
  },
  "v1",
);

const over = (files: Record<string, TemplateContent>, base = lower) =>
  layOver(
    base,
    Object.entries(files).map(([path, content]) => [at(path), content]),
  );

describe("layOver", () => {
  it("[W4] shows upper files, the rest of the lower ones, and of a skill only the upper one's files", () => {
    const template = over({ "AGENTS.md": { text: "" }, "skills/a/SKILL.md": { text: "upper" } });
    expect(template.paths).toEqual([
      "AGENTS.md",
      "logo.png",
      "skills/a/SKILL.md",
      "skills/b/SKILL.md",
    ]);
    expect(template.read(at("AGENTS.md"))).toEqual({ text: "" });
    expect(template.read(at("skills/b/SKILL.md"))).toEqual({ text: "lower" });
    expect(template.read(at("logo.png"))).toEqual({ bytes: new Uint8Array([255]) });
    expect(template.list(at("skills/a"))).toEqual([
      { path: "skills/a/SKILL.md", isDirectory: false, size: 5 },
    ]);
    expect(template.list(at(""))?.find(({ path }) => path === "logo.png")?.size).toBe(1);
  });

  it("has a version that changes with every path and byte of either, and with nothing else", () => {
    const file = { text: "ab" };
    const versions = [
      over({ "a.md": file }),
      over({ "a.md": { text: "ac" } }),
      over({ "b.md": file }),
      over({ "a.md": { text: "a" }, "b.md": { text: "b" } }),
      over({ "a.md": { text: "" }, "b.md": { text: "ab" } }),
      over({ "a.md": { bytes: new TextEncoder().encode("ab") } }),
      over({ "a.md": { bytes: new Uint8Array([0]) } }),
      over({ "a.md": { bytes: new Uint8Array([0, 0]) } }),
      over({ "a.md": file }, createTemplate({}, "v2")),
    ].map(({ version }) => version);
    expect(new Set(versions.map((version) => version.slice(0, 12))).size).toBe(versions.length);
    expect(versions[0]).toMatch(/^[0-9a-f]{32}$/);
    const files = { "a.md": file, "c.md": file };
    const reversed = Object.fromEntries(Object.entries(files).toReversed());
    expect(over(reversed).version).toBe(over(files).version);
  });

  it("refuses a file where the other has a directory", () => {
    expect(() => over({ "logo.png/x": { text: "" } })).toThrow(/both a file and a directory/);
  });
});

describe("contentOf", () => {
  it.each<[string, string | Uint8Array, TemplateContent]>([
    ["a text", "Grüße", { text: "Grüße" }],
    ["bytes of a text", new TextEncoder().encode("\uFEFFé"), { text: "\uFEFFé" }],
    ["other bytes", new Uint8Array([0xff]), { bytes: new Uint8Array([0xff]) }],
    ["a text with a NUL", "a\0", { bytes: new Uint8Array([97, 0]) }],
    ["a text that is too long", "abcdefghi", { bytes: new TextEncoder().encode("abcdefghi") }],
    ["a broken text", "\uD800", { text: "\uFFFD" }],
  ])("[W5] takes %s", (_, given, content) => {
    expect(contentOf(given, 8)).toEqual(content);
  });
});
