import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { createManifests } from "../../../src/workspace/read/manifest.ts";
import { readableBucket, type ReadableBucket } from "../../support/readable-bucket.ts";

const manifestOf = (bucket: ReadableBucket, known: number | null) => createManifests(bucket)(known);

/** The heads of a manifest, by path. */
async function headsOf(bucket: ReadableBucket): Promise<Record<string, string | undefined>> {
  const manifest = await manifestOf(bucket, null);
  const files = manifest === "unchanged" ? [] : manifest.files;
  return Object.fromEntries(files.map(({ path, head }) => [path, head]));
}

describe("a manifest", () => {
  it("[W4] tells the files and whiteouts that may show in other buckets", async () => {
    const bucket = readableBucket({ "a.md": "12", "b.md": "", "MEMORY.md": "", "plans/p.md": "" });
    bucket.remove("b.md");
    bucket.hide("knowledge/x.md");
    bucket.hide("knowledge/y.md");
    bucket.show("knowledge/y.md");
    const file = { path: "a.md", version: 1, type: "text", size: 2, executable: false, etag: "1" };
    expect(await manifestOf(bucket, null)).toEqual({
      version: 8,
      files: [{ ...file, at: 7, by: "user:ann" }],
      whiteouts: ["knowledge/x.md"],
    });
  });

  it("is unchanged while its version is known", async () => {
    const bucket = readableBucket({ "a.md": "" });
    expect(await manifestOf(bucket, 1)).toBe("unchanged");
    bucket.remove("a.md");
    expect(await manifestOf(bucket, 1)).toEqual({ version: 2, files: [], whiteouts: [] });
    expect(await manifestOf(readableBucket(), 0)).toBe("unchanged");
  });

  it("[W4] has what is fetched for all users, and no other record", async () => {
    const bucket = readableBucket({
      ".skills-cache/hub/index.json": "{}",
      ".index/a": "",
      "skills/.usage.json": "{}",
      ".agents/x.md": "",
    });
    expect(Object.keys(await headsOf(bucket))).toEqual([".skills-cache/hub/index.json"]);
  });

  it("[K2] has the head of every SKILL.md, in any case of letters, and of nothing else", async () => {
    const long = `---\nname: a\ndescription: b\n---\n${"body ".repeat(5_000)}`;
    const bucket = readableBucket({
      "skills/a/SKILL.md": long,
      "skills/b/skill.md": "lower case",
      ".agents/skills/c/SKILL.md": "c",
      "skills/a/references/SKILL.md": "deeper",
      "skills/SKILL.md": "no skill",
      "skills/_drafts/d/SKILL.md": "a draft",
      "SKILL.md": "no skill",
    });
    bucket.write("skills/e/SKILL.md", new Uint8Array([0]));
    const heads = await headsOf(bucket);
    expect(heads).toEqual({
      "skills/a/SKILL.md": expect.stringMatching(/^---\nname: a\ndescription: b\n---\nbody /),
      "skills/b/skill.md": "lower case",
      ".agents/skills/c/SKILL.md": "c",
      "skills/a/references/SKILL.md": undefined,
      "skills/SKILL.md": undefined,
      "SKILL.md": undefined,
      "skills/e/SKILL.md": undefined,
    });
    expect(heads["skills/a/SKILL.md"]?.length).toBeLessThan(1_000);
    expect(bucket.fetched).toEqual([]);
  });

  it("reads a head once for each version of its file", async () => {
    const bucket = readableBucket({ "skills/a/SKILL.md": "1", "skills/b/SKILL.md": "1" });
    const reads: string[] = [];
    const read: typeof bucket.contents.read = (row) => {
      reads.push(row.path);
      return bucket.contents.read(row);
    };
    const manifests = createManifests({ rows: bucket.rows, contents: { read } });
    await manifests(null);
    bucket.write("other.md", "");
    bucket.write("skills/a/SKILL.md", "2");
    const manifest = await manifests(null);
    expect(reads).toEqual(["skills/a/SKILL.md", "skills/b/SKILL.md", "skills/a/SKILL.md"]);
    expect(manifest).toMatchObject({
      files: [{ path: "skills/a/SKILL.md", head: "2" }, { head: "1" }, {}],
    });
  });

  it("[K1] of a damaged skill has no head, and tells the others", async () => {
    const bucket = readableBucket({ "skills/a/SKILL.md": "a", "skills/b/SKILL.md": "b" });
    bucket.lose("skills/a/SKILL.md");
    expect(await headsOf(bucket)).toEqual({
      "skills/a/SKILL.md": undefined,
      "skills/b/SKILL.md": "b",
    });
  });

  it("[W12] is refused when a head cannot be read just now", async () => {
    const { rows } = readableBucket({ "skills/a/SKILL.md": "a" });
    const read = () => Promise.reject(new CarrelError("overloaded", "The store is down."));
    await expect(createManifests({ rows, contents: { read } })(null)).rejects.toMatchObject({
      code: "overloaded",
    });
  });

  it("is of one moment: what changes while a head is fetched is told", async () => {
    const bucket = readableBucket({ "skills/a/SKILL.md": "1" });
    let reads = 0;
    const read: typeof bucket.contents.read = async (row) => {
      reads += 1;
      if (reads === 1) bucket.write("skills/a/SKILL.md", "2");
      return bucket.contents.read(row);
    };
    const { rows } = bucket;
    expect(await createManifests({ rows, contents: { read } })(null)).toMatchObject({
      version: 2,
      files: [{ version: 2, head: "2" }],
    });
  });

  it("has heads only as far as one call carries them, the first ones", async () => {
    const head = `---\nname: a\ndescription: ${"x".repeat(16_000)}\n---\n`;
    const paths = Array.from({ length: 140 }, (_, at) => `skills/${1_000 + at}/SKILL.md`);
    const heads = await headsOf(readableBucket(Object.fromEntries(paths.map((it) => [it, head]))));
    const told = paths.filter((path) => heads[path] !== undefined);
    expect(told).toEqual(paths.slice(0, told.length));
    expect(told.length * head.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect((told.length + 1) * head.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(Object.keys(heads)).toHaveLength(140);
  });
});
