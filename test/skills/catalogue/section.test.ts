import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemblePrompt } from "../../../src/context/prompt.ts";
import type { Section } from "../../../src/context/sections.ts";
import type { CatalogueSkill } from "../../../src/skills/catalogue/catalogue.ts";
import { catalogueSection } from "../../../src/skills/catalogue/section.ts";
import { sources } from "../../context/prompt-lab.ts";
import { skillOf } from "./lab.ts";

const sectionOf = (skills: readonly CatalogueSkill[], maxChars = 12_000): Section => {
  const section = catalogueSection({ skills, leftOut: [] }, maxChars);
  if (!section) throw new Error("there is no section");
  return section;
};

/** The element as it stands in a prompt, and what the prompt says of it. */
function shown(section: Section) {
  const { text, report } = assemblePrompt(
    sources({}, { hasWorkspace: false, sections: [section] }),
  );
  const [block = ""] = /<available_skills>[^]*<\/available_skills>/.exec(text) ?? [];
  return { block, part: report.parts.find(({ what }) => what === "available_skills") };
}

const idsIn = ({ entries = [] }: Section) =>
  entries.map(({ fields }) => fields.find(([name]) => name === "skill-id")?.[1]);

const many = (count: number, layer: "own" | "shared" | "template", description: string) =>
  Array.from({ length: count }, (_, at) =>
    skillOf(`${layer}-${String(at).padStart(3, "0")}`, description, layer),
  );

describe("the section of skills", () => {
  it("[K3] has name, description and id of each, and what to do with them", () => {
    const { block, part } = shown(
      sectionOf([skillOf("pdf", "Reads PDF files.\nUse it for PDFs.")]),
    );
    expect(block).toBe(`<available_skills>
  Skills are instructions for kinds of work. Scan this list before you act: when one fits the task, load it with load_skill_through_path (its skill-id, path SKILL.md) and follow it.
  Load the files it names with the same tool. The list only says what there is.
  <skill>
    <name>pdf</name>
    <description>Reads PDF files. Use it for PDFs.</description>
    <skill-id>pdf_own</skill-id>
  </skill>
</available_skills>`);
    expect(part).toMatchObject({ state: "loaded", entries: { shown: 1, total: 1 } });
  });

  it("[K3] is not there where there are no skills", () => {
    expect(catalogueSection({ skills: [], leftOut: [] }, 12_000)).toBeNull();
  });

  it("[C3] begins with what all users share, and stands with it when there is nothing else", () => {
    const skills = [skillOf("b"), skillOf("c", "C.", "template"), skillOf("a", "A.", "shared")];
    expect(idsIn(sectionOf(skills))).toEqual(["c_template", "a_shared", "b_own"]);
    expect(sectionOf(skills).layer).toBe("user");
    expect(sectionOf(skills.slice(1)).layer).toBe("shared");
  });

  it("[K3] shortens the longest descriptions first, all to the same length, at the end of a word", () => {
    const skills = [
      ...many(10, "template", "Long words of a long text. ".repeat(200)),
      skillOf("short", "A short one."),
    ];
    const section = sectionOf(skills, 6_000);
    const lengths = (section.entries ?? []).map(({ fields }) => fields[1]?.[1].length ?? 0);
    expect(section.entries).toHaveLength(11);
    expect(Math.min(...lengths)).toBe("A short one.".length);
    const long = lengths.filter((length) => length > 12);
    expect(new Set(long).size).toBe(1);
    expect(long[0]).toBeGreaterThan(350);
    expect(shown(section).block).toContain("…</description>");
    expect(shown(section).block.length).toBeLessThanOrEqual(6_000);
    expect(shown(section).block.length).toBeGreaterThan(5_700);
  });

  it("[K3] gives no description more than 1,200 characters", () => {
    const [entry] = sectionOf([skillOf("a", "😀".repeat(9_000))]).entries ?? [];
    expect(entry?.fields[1]?.[1].length).toBeLessThanOrEqual(1_200);
    expect(entry?.fields[1]?.[1].isWellFormed()).toBe(true);
  });

  it("[K3] leaves out lower layers first, later names first, and says how many and how to find them", () => {
    const text = "What it is for, in some words. ".repeat(10);
    const skills = [
      ...many(30, "own", text),
      ...many(30, "shared", text),
      ...many(30, "template", text),
    ];
    const section = sectionOf(skills);
    const ids = idsIn(section);
    const all = skills.map(({ id }) => id);
    expect(ids.toSorted((a = "", b = "") => (a < b ? -1 : 1))).toEqual(all.slice(0, ids.length));
    expect(ids.length).toBeGreaterThan(45);
    const { block, part } = shown(section);
    expect(block.length).toBeLessThanOrEqual(12_000);
    expect(block).toContain(
      `${90 - ids.length} more are not listed: call load_skill_through_path with words of what you need`,
    );
    for (const { fields } of section.entries ?? [])
      expect(fields[1]?.[1].length).toBeGreaterThan(60);
    expect(part).toMatchObject({
      state: "cut",
      why: `${ids.length} of 90 entries are shown.`,
      entries: { shown: ids.length, total: 90 },
    });
  });

  it("[K3] keeps its bound, and the same bytes, whatever the skills are called", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom("<", "&&&&", "</skill>", "\n", "x".repeat(900), "字".repeat(300)),
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    const skill = fc
      .tuple(text, text, fc.constantFrom("own", "shared", "template"))
      .map(([name, description, layer]) => skillOf(name.slice(0, 128), description, layer));
    fc.assert(
      fc.property(
        fc.uniqueArray(skill, { minLength: 1, maxLength: 60, selector: ({ id }) => id }),
        fc.integer({ min: 500, max: 15_000 }),
        (skills, maxChars) => {
          const section = sectionOf(skills, maxChars);
          const { block } = shown(section);
          expect(block.length).toBeLessThanOrEqual(maxChars);
          expect(block.match(/<skill>/g) ?? []).toHaveLength(section.entries?.length ?? 0);
          expect((section.entries?.length ?? 0) + (section.unlisted ?? 0)).toBe(skills.length);
          expect(sectionOf(skills.toReversed(), maxChars)).toEqual(section);
        },
      ),
      { numRuns: 100, seed: 7 },
    );
  });
});
