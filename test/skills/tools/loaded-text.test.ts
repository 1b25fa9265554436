import { describe, expect, it } from "vitest";
import type { LoadAnswer } from "../../../src/shared/skills-api.ts";
import type { CatalogueSkill } from "../../../src/skills/catalogue/catalogue.ts";
import type { ToolGroup } from "../../../src/skills/config.ts";
import { loadedOutput } from "../../../src/skills/tools/loaded-text.ts";
import type { ToolOutput } from "../../../src/tools/tool.ts";
import { currentTime } from "../../../src/tools/current-time.ts";

const skill: CatalogueSkill = {
  name: "pdf",
  id: "pdf_own",
  description: "About PDF files.",
  source: { kind: "layer", layer: "own" },
  directory: "skills/pdf",
  warnings: [],
  provenance: null,
};

type Given = {
  readonly path?: string;
  readonly paths?: readonly string[];
  readonly groups?: readonly ToolGroup[];
  readonly skill?: Partial<CatalogueSkill>;
};

function outputOf(content: string | Uint8Array, given: Given = {}) {
  const { path = "SKILL.md", paths = [path], groups = [] } = given;
  const file: LoadAnswer["file"] = {
    path,
    content: typeof content === "string" ? { text: content } : { bytes: content },
    executable: false,
    size: content.length,
  };
  return loadedOutput({ skill: { ...skill, ...given.skill }, file, paths, groups });
}

const textOf = (output: ToolOutput): string => {
  if (typeof output === "string") return output;
  if ("holds" in output) return "";
  const parts = "content" in output ? output.content : output;
  return parts.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`)).join("\n");
};

const keepOf = (output: ToolOutput): string | undefined =>
  typeof output === "object" && "keep" in output ? output.keep : undefined;

describe("a loaded skill", () => {
  it("[K3] says what it is and shows its document whole, with the paths of its other files", () => {
    const paths = ["SKILL.md", "references/api.md", "scripts/run.py"];
    expect(textOf(outputOf("# PDF\n\nDo it.\n", { paths }))).toBe(
      [
        "Skill: pdf",
        "Id: pdf_own",
        "Source: own",
        "File: SKILL.md (14 characters)",
        "Other files: 2",
        "",
        "````",
        "# PDF",
        "",
        "Do it.",
        "````",
        "",
        "Its other files, each to be loaded with this tool by its path:",
        "- references/api.md",
        "- scripts/run.py",
      ].join("\n"),
    );
  });

  it.each(["```\ncode\n```", "````\n`````\n", "`".repeat(60), "no end of line"])(
    "[C5] cannot end its fence: %j",
    (text) => {
      const shown = textOf(outputOf(text));
      const fence = /^`{4,}$/m.exec(shown)?.[0] ?? "";
      expect(shown.split(fence)).toHaveLength(3);
      expect(shown.split(fence)[1]?.trim()).toBe(text.trim());
    },
  );

  it("is shown whole as far as one result holds it, and says where it is cut", () => {
    const most = "x".repeat(99_000);
    expect(textOf(outputOf(most))).toContain(most);
    const long = textOf(outputOf("x".repeat(150_000)));
    expect(long.length).toBeLessThanOrEqual(100_000);
    expect(long).toMatch(
      /\n\[Cut here: 9\d,\d{3} of 150,000 characters are shown\. read_file.* skills\/pdf\/SKILL\.md\.\]$/,
    );
  });

  it("never has more than one result holds, whatever its name and paths are like", () => {
    const path = `${"d/".repeat(255)}a`;
    const paths = Array.from({ length: 300 }, (_, at) => `references/${"y".repeat(200)}-${at}.md`);
    const named = { name: "n".repeat(128), id: "n".repeat(200), directory: "e".repeat(500) };
    for (const given of [{ paths }, { path, paths }, { paths, skill: named }])
      expect(textOf(outputOf("x".repeat(1_000_000), given)).length).toBeLessThanOrEqual(100_000);
  });

  it("[K3] lists at most 100 paths, in a few thousand characters, and how many more there are", () => {
    const short = ["SKILL.md", ...Array.from({ length: 250 }, (_, at) => `assets/${at}`)];
    expect(textOf(outputOf("Do it.", { paths: short }))).toMatch(/\n- assets\/99\nand 150 more$/);
    const long = [
      "SKILL.md",
      ...Array.from({ length: 90 }, (_, at) => `assets/${"z".repeat(300)}${at}`),
    ];
    const shown = textOf(outputOf("Do it.", { paths: long }));
    expect(shown.length).toBeLessThan(3_500);
    expect(shown).toMatch(/\nand 81 more$/);
  });

  it("stays in the conversation: the document always, another text of at most 20,000 characters", () => {
    expect(keepOf(outputOf("x".repeat(90_000)))).toBe("skill:pdf/SKILL.md");
    expect(keepOf(outputOf("x", { path: "skill.md" }))).toBe("skill:pdf/skill.md");
    const path = "references/api.md";
    expect(keepOf(outputOf("x".repeat(20_000), { path }))).toBe("skill:pdf/references/api.md");
    expect(keepOf(outputOf("x".repeat(20_001), { path }))).toBeUndefined();
    const name = keepOf(outputOf("x", { path: `references/${"a".repeat(400)}` }));
    expect(name).toMatch(/^skill:pdf\/[0-9a-z]{11}$/);
  });

  it("brings the tools of its groups, with its document only", () => {
    const groups = [{ name: "forms", tools: [currentTime], skills: ["pdf"] }];
    const output = outputOf("Do it.", { groups });
    expect(output).toMatchObject({ activates: ["forms"] });
    expect(textOf(output)).toContain("From your next step on you have its tools: current_time.");
    expect(outputOf("Do it.")).not.toHaveProperty("activates");
  });
});

describe("a file of a skill that is not text", () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

  it("is shown as an image where it is one", () => {
    const path = "assets/logo";
    const shown = textOf(outputOf(png, { path, paths: ["SKILL.md", path] }));
    expect(shown).toContain("File: assets/logo (image/png, 11 bytes)");
    expect(shown).toMatch(/\n<image\/png>$/);
  });

  it("says what it is and how large where it cannot be shown", () => {
    const huge = new Uint8Array(1024 * 1024 + 1);
    huge.set(png);
    expect(textOf(outputOf(huge, { path: "a.png" }))).toMatch(
      /more than 1 MiB cannot be shown\.\]$/,
    );
    const pdf = outputOf(Uint8Array.from([0, 1, 2]), { path: "assets/a.pdf" });
    expect(textOf(pdf)).toContain("File: assets/a.pdf (application/pdf, 3 bytes)");
    expect(textOf(pdf)).toMatch(/\n\[It is not text, so it cannot be shown\.\]$/);
    expect(keepOf(pdf)).toBeUndefined();
  });
});
