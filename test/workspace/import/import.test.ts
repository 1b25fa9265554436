import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { commitImport, stageImport } from "../../../src/workspace/import/import.ts";
import { history } from "../../../src/workspace/versions.ts";
import { BY } from "../../support/bucket-parts.ts";
import { writableBucket } from "../../support/writable-bucket.ts";

const write = (path: string, text: string): Change => ({ kind: "write", path, content: { text } });

const DAY_MS = 24 * 60 * 60 * 1000;

describe("an import", () => {
  it("[W17] shows nothing before it is committed, and then all, byte for byte", async () => {
    const bucket = writableBucket({ template: { "AGENTS.md": "t", "knowledge/a.md": "k" } });
    const blob = Uint8Array.of(0, 255, 10);
    await stageImport(bucket, "i1", {
      no: 0,
      changes: [
        write("MEMORY.md", "\ufeffa\r\nb"),
        { kind: "write", path: "run", content: { bytes: blob }, executable: true },
      ],
    });
    await stageImport(bucket, "i1", {
      no: 1,
      changes: [
        write("agents/main/s.log.jsonl", "{1}\n"),
        { kind: "append", path: "agents/main/s.log.jsonl", text: "{2}\n" },
        write("blank", ""),
      ],
      whiteouts: ["AGENTS.md", "knowledge/of-another-deployment.md"],
    });
    expect(await bucket.lines()).toEqual(["AGENTS.md template t", "knowledge/a.md template k"]);
    expect(await commitImport(bucket, "i1", BY)).toEqual({ files: 4 });
    expect(await bucket.lines()).toEqual([
      "MEMORY.md own \ufeffa\r\nb",
      "agents/main/s.log.jsonl own {1}\n{2}\n",
      "blank own ",
      "knowledge/a.md template k",
      "run own 0,255,10",
    ]);
    const [run] = [...bucket.rows.files.values()].filter(({ path }) => path === "run");
    expect(run).toMatchObject({ executable: true, type: "blob", author: BY, dirty: 0 });
    expect(
      [...bucket.rows.whiteouts.values()].map(({ path, present }) => `${path} ${present}`),
    ).toEqual(["AGENTS.md true", "knowledge/of-another-deployment.md true"]);
    expect(bucket.sql.all("SELECT * FROM staged")).toEqual([]);
    expect(bucket.totals.totals).toEqual({
      files: 3,
      whiteouts: 2,
      bytes: 10,
      logs: 1,
      logBytes: 8,
    });
  });

  it("[W17] pages may be sent again, in any order, and a commit is done once", async () => {
    const bucket = writableBucket();
    await stageImport(bucket, "i", { no: 1, changes: [write("b", "2")] });
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "wrong"), write("c", "no")] });
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "1")] });
    await commitImport(bucket, "i", BY);
    await bucket.write("a", "later");
    expect(await commitImport(writableBucket(bucket), "i", BY)).toEqual({ files: 2 });
    expect(await bucket.lines()).toEqual(["a own later", "b own 2"]);
  });

  it("[W17] two imports do not meet, and an empty one is one, too", async () => {
    const bucket = writableBucket();
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "1")] });
    await stageImport(bucket, "j", { no: 0, changes: [] });
    expect(await commitImport(bucket, "j", BY)).toEqual({ files: 0 });
    expect(await commitImport(bucket, "i", BY)).toEqual({ files: 1 });
  });

  it("[W4] [W17] a skill is as it was in the archive, whatever lower layers add to one of its name", async () => {
    const template = { "skills/x/SKILL.md": "t", "skills/x/more": "m", "skills/y/SKILL.md": "y" };
    const bucket = writableBucket({ template });
    await stageImport(bucket, "i", {
      no: 0,
      changes: [write("skills/x/SKILL.md", "own"), write("skills/x/more/deep.md", "d")],
    });
    await commitImport(bucket, "i", BY);
    expect(await bucket.lines()).toEqual([
      "skills/x/SKILL.md own own",
      "skills/x/more/deep.md own d",
      "skills/y/SKILL.md template y",
    ]);
  });

  it("[W15] [W17] goes over what is there, which can be had back", async () => {
    const bucket = writableBucket();
    await bucket.write("MEMORY.md", "before");
    await stageImport(bucket, "i", { no: 0, changes: [write("MEMORY.md", "after")] });
    await commitImport(bucket, "i", "user:admin");
    expect(await bucket.lines()).toEqual(["MEMORY.md own after"]);
    expect(history(bucket.rows, "MEMORY.md").map(({ by }) => by)).toEqual(["user:admin", BY]);
    await bucket.change({ kind: "undo", path: "MEMORY.md" });
    expect(await bucket.show("MEMORY.md")).toBe("before");
  });

  it.each<[string, string, Change[]]>([
    ["the root", "invalid", [write("", "x")]],
    ["a path out of the root", "invalid", [write("../x", "x")]],
    ["another kind of change", "invalid", [{ kind: "delete", path: "a" }]],
    ["half a character", "invalid", [write("a", "\ud800")]],
    ["a long text", "too_large", [write("a", "x".repeat(61))]],
  ])("[W16] [W17] a page with %s is refused whole", async (_, code, changes) => {
    const bucket = writableBucket({ limits: { textBytes: 60 } });
    const page = { no: 0, changes: [write("fine", "x"), ...changes] };
    await expect(stageImport(bucket, "i", page)).rejects.toMatchObject({ code });
    await expect(stageImport(bucket, "not an id", { no: 0, changes: [] })).rejects.toMatchObject({
      code: "invalid",
    });
    await expect(stageImport(bucket, "i", { no: -1, changes: [] })).rejects.toMatchObject({
      code: "invalid",
    });
    expect(bucket.sql.all("SELECT * FROM staged")).toEqual([]);
    await expect(commitImport(bucket, "i", BY)).rejects.toMatchObject({ code: "not_found" });
  });

  it.each<[string, string, Change[]]>([
    ["too many files", "quota_exceeded", [write("a", "x"), write("b", "x"), write("c", "x")]],
    [
      "a text that appends make too long",
      "too_large",
      [write("a", "x"), { kind: "append", path: "a", text: "x".repeat(60) }],
    ],
    ["a file where a directory is", "conflict", [write("there", "x")]],
    ["a file below a file", "conflict", [write("a", "x"), write("a/b", "x")]],
  ])("[W16] [W17] a commit with %s changes nothing and can be mended", async (_, code, changes) => {
    const bucket = writableBucket({ limits: { files: 3, textBytes: 60 } });
    await bucket.write("there/file", "x");
    await stageImport(bucket, "i", { no: 0, changes });
    await expect(commitImport(bucket, "i", BY)).rejects.toMatchObject({ code });
    expect(await bucket.lines()).toEqual(["there/file own x"]);
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "x")] });
    expect(await commitImport(bucket, "i", BY)).toEqual({ files: 1 });
  });

  it("[W17] without all its pages it is refused, and after a day without one it is gone", async () => {
    const bucket = writableBucket();
    await stageImport(bucket, "i", { no: 1, changes: [write("a", "x")] });
    await expect(commitImport(bucket, "i", BY)).rejects.toThrow(/Page 0/);
    await bucket.clock.pass(DAY_MS);
    await stageImport(bucket, "j", { no: 0, changes: [] });
    await stageImport(bucket, "i", { no: 0, changes: [] });
    await bucket.clock.pass(DAY_MS + 1);
    await stageImport(bucket, "j", { no: 0, changes: [] });
    await expect(commitImport(bucket, "i", BY)).rejects.toMatchObject({ code: "not_found" });
  });

  it("[W16] pages that are never committed cannot fill the bucket", async () => {
    const bucket = writableBucket({ limits: { bytes: 500, logBytes: 500 } });
    const stage = (no: number) =>
      stageImport(bucket, "i", { no, changes: [write("a", "x".repeat(450))] });
    await stage(0);
    await stage(0);
    await stage(1);
    await stageImport(bucket, "j", { no: 0, changes: [write("a", "x")] });
    await expect(stage(2)).rejects.toMatchObject({ code: "quota_exceeded" });
  });

  it("[W17] 2,000 files take seconds, with texts read one by one", async () => {
    const bucket = writableBucket({ template: { "skills/x/SKILL.md": "t" } });
    for (let no = 0; no < 4; no += 1) {
      const names = Array.from(
        { length: 500 },
        (_, name) => `skills/s${name % 9}/f${no}-${name}.md`,
      );
      await stageImport(bucket, "i", { no, changes: names.map((path) => write(path, path)) });
    }
    expect(await commitImport(bucket, "i", BY)).toEqual({ files: 2_000 });
    expect(await bucket.show("skills/s0/f0-0.md")).toBe("skills/s0/f0-0.md");
  });
});
