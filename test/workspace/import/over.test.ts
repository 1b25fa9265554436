import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import {
  checkImport,
  commitImport,
  dropImport,
  stageImport,
} from "../../../src/workspace/import/import.ts";
import { BY, bucketParts } from "../../support/bucket-parts.ts";
import { runOut, settledBucket } from "../../support/settled-bucket.ts";
import { writableBucket, type WritableBucket } from "../../support/writable-bucket.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const write = (path: string, text: string): Change => ({ kind: "write", path, content: { text } });
const append = (path: string, text: string): Change => ({ kind: "append", path, text });

async function importOver(bucket: WritableBucket, changes: readonly Change[]) {
  await stageImport(bucket, "i", { no: 0, changes });
  return commitImport(bucket, "i", BY);
}

const waiting = ({ sql }: Pick<WritableBucket, "sql">) => sql.all("SELECT * FROM staged");

describe("an import over a log", () => {
  it.each<[string, string[], string, number]>([
    ["that it continues adds the rest", ["1\n2\n", "3\n"], "1\n2\n3\n", 1],
    ["that it continues within a piece and in further ones", ["1\nä", "b\n3\n"], "1\näb\n3\n", 1],
    ["that is the same leaves it", ["1\n"], "1\n", 0],
    ["that is longer leaves it", [""], "1\n", 0],
  ])("[W9] [W17] %s", async (_, pieces, after, files) => {
    const bucket = writableBucket();
    await bucket.change(append(LOG, "1\n"));
    const { version } = bucket.rows.files.get(LOG as never) ?? {};
    const [first = "", ...rest] = pieces;
    const changes = [write(LOG, first), ...rest.map((text) => append(LOG, text))];
    expect(await importOver(bucket, changes)).toEqual({ files });
    expect(await bucket.show(LOG)).toBe(after);
    expect(bucket.totals.totals).toMatchObject({ logs: 1, logBytes: Buffer.byteLength(after) });
    if (files === 0) expect(bucket.rows.files.get(LOG as never)?.version).toBe(version);
  });

  it.each([["1\nx\n"], ["x"], ["2\n1\n2\n"], ["1x"]])(
    "[W9] [W17] that begins otherwise, as %j does, is refused whole and names the log",
    async (text) => {
      const bucket = writableBucket();
      await bucket.change(append(LOG, "1\n2\n"));
      const refused = importOver(bucket, [write("a", "a"), write(LOG, text)]);
      await expect(refused).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining(LOG),
      });
      expect(await bucket.lines()).toEqual([`${LOG} own 1\n2\n`]);
      expect(waiting(bucket)).toEqual([]);
    },
  );

  it("[W17] compares and continues one of which parts are in the store only", async () => {
    const bucket = settledBucket();
    const lines = (from: number, to: number) =>
      Array.from(
        { length: to - from },
        (_, at) => `${String(from + at).padStart(999, "é")}\n`,
      ).join("");
    await bucket.change(append(LOG, lines(0, 700)));
    await runOut(bucket.settler, bucket.clock);
    await bucket.change(append(LOG, lines(700, 710)));
    expect(bucket.rows.sql.all("SELECT * FROM segment").length).toBeGreaterThan(0);
    const changes = [write(LOG, lines(0, 500)), append(LOG, lines(500, 800))];
    await stageImport(bucket, "i", { no: 0, changes });
    expect(await commitImport(bucket, "i", BY)).toEqual({ files: 1 });
    const row = bucket.rows.files.get(LOG as never);
    expect(row && (await bucket.contents.read(row))).toEqual({ text: lines(0, 800) });
    await stageImport(bucket, "j", {
      no: 0,
      changes: [write(LOG, lines(0, 200) + lines(201, 300))],
    });
    await expect(commitImport(bucket, "j", BY)).rejects.toMatchObject({ code: "conflict" });
  });

  it("[W9] loses no line that is added while it is compared", async () => {
    const bucket = settledBucket();
    await bucket.change(append(LOG, `${"1".repeat(300_000)}\n`));
    await runOut(bucket.settler, bucket.clock);
    await stageImport(bucket, "i", { no: 0, changes: [write(LOG, `${"1".repeat(300_000)}\n2\n`)] });
    const committed = commitImport(bucket, "i", BY).catch((error: unknown) => error);
    await bucket.change(append(LOG, "other\n"));
    expect(await committed).toMatchObject({ code: "conflict" });
    const row = bucket.rows.files.get(LOG as never);
    expect(row && (await bucket.contents.read(row))).toEqual({
      text: `${"1".repeat(300_000)}\nother\n`,
    });
  });

  it("[W17] leaves other records as they are, and brings those that are not there", async () => {
    const bucket = writableBucket();
    const [index, plan] = ["agents/main/sessions/sessions.json", "plans/s1/PLAN.md"];
    await bucket.write(index, "here");
    await bucket.write("notes.md", "here");
    const changes = [index, plan, "notes.md"].map((path) => write(path, "imported"));
    expect(await importOver(bucket, changes)).toEqual({ files: 2 });
    expect(await bucket.lines()).toEqual([
      `${index} own here`,
      "notes.md own imported",
      `${plan} own imported`,
    ]);
  });

  it("[W12] keeps the text of a file that only the store has, when it is added to", async () => {
    const bucket = settledBucket();
    await bucket.change(write("a.md", "one\n"));
    await runOut(bucket.settler, bucket.clock);
    bucket.rows.commit("test", (tx) => {
      const row = bucket.rows.files.get("a.md" as never);
      if (row) tx.putFile({ ...row, body: null });
    });
    await stageImport(bucket, "i", { no: 0, changes: [append("a.md", "two\n")] });
    await commitImport(bucket, "i", BY);
    const row = bucket.rows.files.get("a.md" as never);
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "one\ntwo\n" });
  });
});

describe("an import that is refused", () => {
  const limits = { bytes: 500, logBytes: 500, textBytes: 400, files: 3 };

  it("[W16] keeps no page, whether a page or the commit is refused", async () => {
    const bucket = writableBucket({ limits });
    await bucket.write("there/file", "x");
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "x".repeat(300))] });
    const bad = { no: 1, changes: [write("../b", "x")] };
    await expect(stageImport(bucket, "i", bad)).rejects.toMatchObject({ code: "invalid" });
    expect(waiting(bucket)).toEqual([]);
    await stageImport(bucket, "j", { no: 0, changes: [write("there", "x")] });
    await expect(commitImport(bucket, "j", BY)).rejects.toMatchObject({ code: "conflict" });
    expect(waiting(bucket)).toEqual([]);
    await stageImport(bucket, "k", { no: 0, changes: [write("there", "x")] });
    await expect(checkImport(bucket, "k", BY)).rejects.toMatchObject({ code: "conflict" });
    expect(waiting(bucket)).toEqual([]);
    for (const no of [0, 1])
      await stageImport(bucket, "l", { no, changes: [write("a", "x".repeat(390))] });
    const full = { no: 2, changes: [write("b", "x".repeat(390))] };
    await expect(stageImport(bucket, "l", full)).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(waiting(bucket)).toEqual([]);
  });

  it("[W17] because a page is missing may still be completed", async () => {
    const bucket = writableBucket();
    await stageImport(bucket, "i", { no: 1, changes: [write("b", "b")] });
    await expect(commitImport(bucket, "i", BY)).rejects.toMatchObject({ code: "conflict" });
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "a")] });
    expect(await checkImport(bucket, "i", BY)).toEqual({ files: 2 });
    expect(await bucket.lines()).toEqual([]);
    expect(await commitImport(bucket, "i", BY)).toEqual({ files: 2 });
  });

  it("[W16] or given up can be let go of, and one that was done waits for nothing more", async () => {
    const bucket = writableBucket();
    await stageImport(bucket, "i", { no: 0, changes: [write("a", "a")] });
    dropImport(bucket, "i");
    dropImport(bucket, "i");
    expect(waiting(bucket)).toEqual([]);
    await stageImport(bucket, "j", { no: 0, changes: [write("a", "a")] });
    await commitImport(bucket, "j", BY);
    await stageImport(bucket, "j", { no: 0, changes: [write("a", "other")] });
    expect(waiting(bucket)).toEqual([]);
    expect(await commitImport(bucket, "j", BY)).toEqual({ files: 1 });
  });
});

describe("the whiteouts of an import", () => {
  it.each(["skills/x/SKILL.md", "skills/x/deep/a.md", "knowledge", "skills", "memory", "agents"])(
    "[W6] [W17] are for files and whole skills, not for %s",
    async (path) => {
      const bucket = writableBucket();
      const page = { no: 0, changes: [write("a", "a")], whiteouts: [path] };
      await expect(stageImport(bucket, "i", page)).rejects.toMatchObject({ code: "invalid" });
      expect(waiting(bucket)).toEqual([]);
    },
  );

  it("[W6] [W17] may be for a file whose place a directory has taken since", async () => {
    const bucket = writableBucket({ template: { "notes/a.md": "a", "skills/x/SKILL.md": "x" } });
    const whiteouts = ["notes", "AGENTS.md", "skills/x", ".env", "skills/flat.md"];
    await stageImport(bucket, "i", { no: 0, changes: [], whiteouts });
    await commitImport(bucket, "i", BY);
    expect(await bucket.lines()).toEqual(["notes/a.md template a"]);
  });
});

describe("whiteouts", () => {
  const template = { a: "a", b: "b", c: "c", "skills/x/SKILL.md": "x" };

  it("[W16] count as files, so that neither imports nor deletes pile them up", async () => {
    const bucket = writableBucket({ template, limits: { files: 2 } });
    const whiteouts = ["x1", "x2", "x3"];
    await stageImport(bucket, "i", { no: 0, changes: [], whiteouts });
    await expect(commitImport(bucket, "i", BY)).rejects.toMatchObject({ code: "quota_exceeded" });
    await bucket.change({ kind: "delete", path: "a" });
    await bucket.change({ kind: "delete", path: "skills/x" });
    const third = bucket.change({ kind: "delete", path: "b" });
    await expect(third).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(bucket.totals.totals).toMatchObject({ files: 0, whiteouts: 2 });
    expect(bucketParts({ sql: bucket.sql }).totals.totals).toEqual(bucket.totals.totals);
    await bucket.change({ kind: "reset", path: "" });
    expect(bucket.totals.totals).toMatchObject({ files: 0, whiteouts: 0 });
  });

  it("[W16] that take the place of an own file fit where that one did", async () => {
    const bucket = writableBucket({ template, limits: { files: 1 } });
    await bucket.write("a", "mine");
    await bucket.change({ kind: "delete", path: "a" });
    expect(bucket.totals.totals).toMatchObject({ files: 0, whiteouts: 1 });
  });
});
