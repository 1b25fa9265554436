import { describe, expect, it } from "vitest";
import {
  ANN,
  catalogueOf,
  cataloguesOf,
  idsOf,
  indexFile,
  leftOf,
  PROVENANCE,
  provenanceText,
  repositoryOf,
  skillText,
  snapshotOf,
  staged,
} from "./lab.ts";

const hub = repositoryOf("hub");
const git = repositoryOf("git");

describe("a catalogue", () => {
  it("[K2] has each name once, by precedence: own, shared, repositories from the last to the first, template", async () => {
    const names = ["e", "d", "c", "b", "a"];
    const layer = (kept: number) =>
      Object.fromEntries(
        names.slice(0, kept).map((name) => [`skills/${name}-${kept}`, skillText(name)]),
      );
    const snapshot = snapshotOf(
      { template: layer(5), shared: layer(2), own: layer(1) },
      {
        ...indexFile(
          hub,
          names.slice(0, 4).map((name) => staged(hub, name)),
        ),
        ...indexFile(
          git,
          names.slice(0, 3).map((name) => staged(git, name)),
        ),
      },
    );
    const catalogue = await catalogueOf(snapshot, { repositories: [hub, git] });
    expect(catalogue.skills.map(({ id }) => id)).toEqual([
      "a_template",
      "b_hub",
      "c_git",
      "d_shared",
      "e_own",
    ]);
    expect(catalogue.leftOut.map(({ kind }) => kind)).toEqual(Array(10).fill("hidden"));
    expect(catalogue.skills[4]?.directory).toBe("skills/e-1");
    const e = catalogue.leftOut.filter(({ name }) => name === "e").map(({ what }) => what);
    expect(e).toEqual([
      "skills/e-2",
      staged(git, "e").directory,
      staged(hub, "e").directory,
      "skills/e-5",
    ]);
  });

  it("[K2] prefers in one layer skills/, then the directory of that name, then the first by path", async () => {
    const own = {
      ".agents/skills/pdf": skillText("pdf"),
      ".agents/skills/csv": skillText("csv"),
      "skills/a": skillText("pdf"),
      "skills/b": skillText("csv"),
      "skills/csv": skillText("csv"),
      "skills/y": skillText("xml"),
      "skills/x": skillText("xml"),
      ".agents/skills/only": skillText("only"),
    };
    expect(idsOf(await catalogueOf(snapshotOf({ own })))).toEqual([
      "csv_own skills/csv",
      "only_own .agents/skills/only",
      "pdf_own skills/a",
      "xml_own skills/x",
    ]);
  });

  it("[K2] compares names after NFKC", async () => {
    const snapshot = snapshotOf({
      own: { "skills/a": skillText("\uff50df") },
      template: { "skills/b": skillText("pdf") },
    });
    expect(idsOf(await catalogueOf(snapshot))).toEqual(["\uff50df_own skills/a"]);
  });

  it("[K1] leaves out what is bad and says why, and has all others", async () => {
    const bad = {
      "skills/none": null,
      "skills/no-front-matter": "just text",
      "skills/no-description": "---\nname: x\n---\nbody",
    };
    const snapshot = snapshotOf({
      own: { ...bad, "skills/good": skillText("good") },
      template: { "skills/also": skillText("also") },
    });
    const gone = snapshotOf({}, indexFile(hub, []));
    const unread = { directory: "skills/unread", layer: "shared", head: null } as const;
    const catalogue = await catalogueOf({
      ...snapshot,
      files: gone.files,
      skills: [...(snapshot.skills ?? []), { ...unread, path: "skills/unread/SKILL.md" }],
    });
    expect(idsOf(catalogue)).toEqual(["also_template skills/also", "good_own skills/good"]);
    expect(leftOf(catalogue)).toEqual([
      "bad skills/none",
      "bad skills/no-front-matter",
      "bad skills/no-description",
      "bad skills/unread",
    ]);
    for (const { why } of catalogue.leftOut) expect(why).toMatch(/\.$/);
  });

  it("[K1] warns of a name that the rules do not allow and has the skill all the same", async () => {
    const { skills } = await catalogueOf(
      snapshotOf({ own: { "skills/pdf": skillText("My PDF") } }),
    );
    expect(skills).toMatchObject([{ name: "My PDF", id: "My PDF_own" }]);
    expect(skills[0]?.warnings.length).toBeGreaterThan(0);
  });

  it("[K1] is not confused by names like __proto__", async () => {
    const own = {
      "skills/__proto__": skillText("__proto__"),
      "skills/x": skillText("constructor"),
    };
    const { skills } = await catalogueOf(snapshotOf({ own }, { [PROVENANCE]: "{}" }));
    expect(skills.map(({ name, provenance }) => [name, provenance])).toEqual([
      ["__proto__", null],
      ["constructor", null],
    ]);
  });

  it("says when there are more directories than are looked at", async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => [`skills/${at}`, null]);
    const { leftOut } = await catalogueOf(snapshotOf({ own: Object.fromEntries(many) }));
    expect(leftOut[0]).toMatchObject({ what: "skills", why: expect.stringContaining("1,000") });
  });

  it("has the provenance of own skills only", async () => {
    const files = { [PROVENANCE]: provenanceText({ pdf: {}, csv: {} }) };
    const { skills } = await catalogueOf(
      snapshotOf(
        { own: { "skills/pdf": skillText("pdf") }, shared: { "skills/csv": skillText("csv") } },
        files,
      ),
    );
    expect(skills.map(({ name, provenance }) => [name, provenance?.createdBy])).toEqual([
      ["csv", undefined],
      ["pdf", "agent"],
    ]);
  });
});

describe("a catalogue of a snapshot", () => {
  const snapshot = snapshotOf({ own: { "skills/a": skillText("a") } });

  it("[C3] is the same object for the same snapshot and viewer, and another one for another", async () => {
    const { of } = cataloguesOf();
    const first = await of(snapshot, ANN);
    expect(await of(snapshot, { ...ANN })).toBe(first);
    expect(await of({ ...snapshot }, ANN)).not.toBe(first);
    expect(await of({ ...snapshot }, ANN)).toEqual(first);
    expect(await of(snapshot, { ...ANN, user: "bo" })).toEqual(first);
  });

  it("[C2] has what changed since the last one", async () => {
    const { of } = cataloguesOf();
    const described = async (text: string) =>
      (await of(snapshotOf({ own: { "skills/a": skillText("a", text) } }), ANN)).skills[0]
        ?.description;
    expect([await described("One."), await described("Two.")]).toEqual(["One.", "Two."]);
  });

  it("[I1] of one user has nothing of another's", async () => {
    const { of } = cataloguesOf();
    await of(snapshotOf({ own: { "skills/a": skillText("a", "Ann's.") } }), ANN);
    const other = snapshotOf({ own: { "skills/b": skillText("b", "Bo's.") } });
    expect(JSON.stringify(await of(other, { ...ANN, user: "bo" }))).not.toContain("Ann");
  });
});

describe("the sources of a catalogue", () => {
  const layers = {
    own: { "skills/a": skillText("pdf") },
    shared: { "skills/b": skillText("csv") },
    template: { "skills/c": skillText("pdf") },
  };
  const snapshot = snapshotOf(layers, indexFile(hub, [staged(hub, "xml")]));
  const repositories = [hub];

  it("without own skills are the others", async () => {
    const of = { repositories, sources: { own: false } };
    const catalogue = await catalogueOf(snapshot, of);
    expect(catalogue.skills.map(({ id }) => id)).toEqual(["csv_shared", "pdf_template", "xml_hub"]);
    expect(leftOf(catalogue)).toEqual(["filtered skills/a"]);
    expect(cataloguesOf(of).wants.files).not.toContain(PROVENANCE);
  });

  it("that are not dynamic are the template, and nothing else is asked for", async () => {
    const of = { repositories, sources: { dynamic: false } };
    expect(idsOf(await catalogueOf(snapshot, of))).toEqual(["pdf_template skills/c"]);
    expect(cataloguesOf(of).wants.files).toEqual([]);
  });

  it("are wanted in one call", () => {
    const { wants } = cataloguesOf({ repositories });
    expect(wants).toEqual({
      skills: ["skills", ".agents/skills"],
      files: [PROVENANCE, Object.keys(indexFile(hub, []))[0]],
    });
  });
});
