import { describe, expect, it } from "vitest";
import type { SkillsConfig } from "../../../src/skills/config.ts";
import {
  ANN,
  catalogueOf,
  cataloguesOf,
  leftOf,
  PROVENANCE,
  provenanceText,
  skillText,
  snapshotOf,
} from "./lab.ts";

const own = { "skills/csv": skillText("csv"), "skills/pdf": skillText("pdf") };
const namesOf = async (
  config: Partial<SkillsConfig>,
  { provenance = "{}", viewer = ANN }: { provenance?: string | null; viewer?: typeof ANN } = {},
): Promise<string[]> => {
  const snapshot = snapshotOf({ own }, { [PROVENANCE]: provenance });
  const { skills, leftOut } = await catalogueOf(snapshot, { config }, viewer);
  expect(skills.length + leftOut.length).toBe(2);
  return skills.map(({ name }) => name);
};

describe("which skills an agent has", () => {
  it.each([
    ["all", ["csv", "pdf"]],
    ["none", []],
    [{ only: ["pdf", "other"] }, ["pdf"]],
    [{ only: ["pdf_own"] }, ["pdf"]],
    [{ only: ["pdf_template"] }, []],
    [{ only: [] }, []],
    [{ except: ["pdf"] }, ["csv"]],
    [{ except: ["\uff50df"] }, ["csv"]],
    [{ except: [] }, ["csv", "pdf"]],
  ] as const)("[K3] is by name or id: %j", async (filter, names) => {
    expect(await namesOf({ filter })).toEqual(names);
  });
});

describe("a promoted skill", () => {
  it("[K5] shows where it was promoted for", async () => {
    const provenance = provenanceText({
      csv: { environments: ["staging", "test"] },
      pdf: { environments: [], by: "person" },
    });
    expect(await namesOf({}, { provenance })).toEqual(["pdf"]);
    expect(await namesOf({ environment: "test" }, { provenance })).toEqual(["csv", "pdf"]);
  });

  it("[K5] hides what is below it also where it does not show", async () => {
    const snapshot = snapshotOf(
      { own: { "skills/new": skillText("pdf") }, template: { "skills/old": skillText("pdf") } },
      { [PROVENANCE]: provenanceText({ pdf: { environments: ["test"] } }) },
    );
    const catalogue = await catalogueOf(snapshot);
    expect(catalogue.skills).toEqual([]);
    expect(leftOf(catalogue)).toEqual(["hidden skills/old", "filtered skills/new"]);
  });

  it("[K5] of the agent shows to some users only, to the same ones each time", async () => {
    const snapshot = snapshotOf(
      { own },
      { [PROVENANCE]: provenanceText({ csv: {}, pdf: { by: "person" } }) },
    );
    const shownTo = async (canaryPercent: number) => {
      const { of } = cataloguesOf({ config: { canaryPercent } });
      const users: string[] = [];
      for (let no = 0; no < 2_000; no += 1) {
        const user = `u${no}`;
        const { skills } = await of(snapshot, { ...ANN, user });
        const names = skills.map(({ name }) => name);
        expect(names).toContain("pdf");
        if (names.includes("csv")) users.push(user);
      }
      return users;
    };
    const ten = await shownTo(10);
    expect(ten.length).toBeGreaterThan(150);
    expect(ten.length).toBeLessThan(250);
    expect(await shownTo(10)).toEqual(ten);
    expect(await shownTo(30)).toEqual(expect.arrayContaining(ten));
    expect(await shownTo(0)).toEqual([]);
    expect(await shownTo(100)).toHaveLength(2_000);
  });

  it.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["no text", null],
  ])(
    "[K5] never shows while the records are %s, and nothing of its layer does",
    async (_, text) => {
      const snapshot = snapshotOf(
        { own, template: { "skills/c": skillText("c") } },
        { [PROVENANCE]: text },
      );
      const { skills, leftOut } = await catalogueOf(snapshot);
      expect(skills.map(({ id }) => id)).toEqual(["c_template"]);
      expect(leftOut.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        "filtered csv",
        "filtered pdf",
      ]);
      expect(leftOut[0]?.why).toContain(PROVENANCE);
    },
  );

  it("[K5] never shows while its own record is malformed, and others do", async () => {
    const whole = JSON.parse(provenanceText({ csv: {}, pdf: {} }));
    const environments = JSON.stringify({ ...whole, csv: { ...whole.csv, environments: "test" } });
    expect(await namesOf({}, { provenance: environments })).toEqual(["pdf"]);
    const hollow = JSON.stringify({ ...whole, csv: null });
    expect(await namesOf({}, { provenance: hollow })).toEqual(["pdf"]);
  });
});

describe("a filter of the operator's own", () => {
  it("[K1] is asked for each skill and viewer", async () => {
    const asked: string[] = [];
    const config: Partial<SkillsConfig> = {
      isVisible: (skill, viewer) => {
        asked.push(`${viewer.user} ${skill.id}`);
        return Promise.resolve(skill.name === "pdf");
      },
    };
    expect(await namesOf(config)).toEqual(["pdf"]);
    expect(asked).toEqual(["ann csv_own", "ann pdf_own"]);
  });

  it("[K1] that throws, rejects or says anything but true hides the skill, and says so", async () => {
    const failing: readonly SkillsConfig["isVisible"][] = [
      () => {
        throw new Error("secret");
      },
      () => Promise.reject(new Error("secret")),
      () => JSON.parse("1"),
    ];
    for (const fails of failing) {
      const { skills, leftOut } = await catalogueOf(snapshotOf({ own }), {
        config: {
          isVisible: (skill, viewer) => skill.name === "pdf" || (fails?.(skill, viewer) ?? false),
        },
      });
      expect(skills.map(({ name }) => name)).toEqual(["pdf"]);
      expect(leftOut).toMatchObject([{ kind: "filtered", name: "csv" }]);
      expect(JSON.stringify(leftOut)).not.toContain("secret");
    }
  });

  it("is asked anew each time, and gives another catalogue when it says something else", async () => {
    let isOpen = true;
    const { of } = cataloguesOf({ config: { isVisible: () => isOpen } });
    const snapshot = snapshotOf({ own });
    const first = await of(snapshot, ANN);
    expect(await of(snapshot, ANN)).toBe(first);
    isOpen = false;
    expect((await of(snapshot, ANN)).skills).toEqual([]);
    expect(first.skills).toHaveLength(2);
  });
});
