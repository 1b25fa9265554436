import { describe, expect, it } from "vitest";
import { findSkill, suggestSkills } from "../../../src/skills/catalogue/find.ts";
import { skillOf } from "./lab.ts";

const catalogue = {
  skills: [
    skillOf("pdf"),
    skillOf("pdf_forms"),
    skillOf("pdf_own", "Looks like an id.", "template"),
    skillOf("\uff43sv"),
  ],
  leftOut: [],
};

describe("findSkill", () => {
  it.each([
    ["pdf_own", "pdf_own"],
    ["pdf", "pdf_own"],
    [" pdf ", "pdf_own"],
    ["pdf_own_template", "pdf_own_template"],
    ["pdf_shared", "pdf_own"],
    ["pdf_forms", "pdf_forms_own"],
    ["pdf_forms_git", "pdf_forms_own"],
    ["csv", "\uff43sv_own"],
    ["csv_own", "\uff43sv_own"],
    ["pd", null],
    ["pdfs", null],
    ["PDF", null],
    ["", null],
    ["__proto__", null],
  ])("[K3] knows %j as %j", (asked, id) => {
    expect(findSkill(catalogue, asked)?.id ?? null).toBe(id);
  });

  it("takes a name of any length", () => {
    expect(findSkill(catalogue, "\ufdfa".repeat(1_000_000))).toBeNull();
  });
});

describe("suggestSkills", () => {
  const skills = [
    skillOf("brand-guidelines", "Applies the company's colours and fonts to slides."),
    skillOf("pdf-forms", "Fills in forms."),
    skillOf("slides", "Makes presentations."),
    skillOf("spreadsheets", "Reads and writes tables; charts them, and puts them on slides."),
    skillOf("translate", "翻译文件和表格。"),
  ];
  const suggest = (words: string, limit = 9) =>
    suggestSkills({ skills, leftOut: [] }, words, limit).map(({ name }) => name);

  it.each([
    ["chart this table", ["spreadsheets"]],
    ["fill in a form", ["pdf-forms"]],
    ["翻译", ["translate"]],
    ["表", ["translate"]],
    ["colour", ["brand-guidelines"]],
  ])("[K3] finds by words of name and description: %s", (words, names) => {
    expect(suggest(words)).toEqual(names);
  });

  it("[K3] finds what is spelled nearly so", () => {
    expect(suggest("spredsheets_own")[0]).toBe("spreadsheets");
    expect(suggest("pdfforms")[0]).toBe("pdf-forms");
  });

  it("has names before descriptions, and no more than asked for", () => {
    expect(suggest("slides")).toEqual(["slides", "brand-guidelines", "spreadsheets"]);
    expect(suggest("slides", 1)).toEqual(["slides"]);
  });

  it("has nothing where nothing fits", () => {
    expect(suggest("")).toEqual([]);
    expect(suggest("zebra")).toEqual([]);
    expect(suggestSkills({ skills: [], leftOut: [] }, "slides", 5)).toEqual([]);
  });
});
