import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { writableBucket, type WritableBucket } from "../support/writable-bucket.ts";

const write = (path: string, size: number): Change => ({
  kind: "write",
  path,
  content: { text: "x".repeat(size) },
});
const blob = (path: string, size: number): Change => ({
  kind: "write",
  path,
  content: { bytes: new Uint8Array(size) },
});
const append = (path: string, size: number): Change => ({
  kind: "append",
  path,
  text: "x".repeat(size),
});

const limits = { files: 3, bytes: 100, logs: 1, logBytes: 50, textBytes: 60, blobBytes: 80 };
const template = { "AGENTS.md": "x".repeat(45), "skills/x/a.md": "a", "skills/x/b.md": "b" };

const stored = async ({ sql, store }: WritableBucket) => ({
  tables: ["file", "part", "whiteout", "version", "op", "job"].map((table) =>
    sql.all(`SELECT * FROM ${table}`),
  ),
  blobs: (await store.list("")).entries,
});

describe("quotas", () => {
  it.each<[string, string, Change[]]>([
    ["a long text", "too_large", [write("a", 61)]],
    ["a long blob", "too_large", [blob("a", 81)]],
    ["an append that is long", "too_large", [append("a", 61)]],
    ["a text that grows too long", "too_large", [append("a.md", 31)]],
    [
      "a text that grows too long by an edit",
      "too_large",
      [{ kind: "edit", path: "a.md", edits: [{ oldText: "x", newText: "yyy", replaceAll: true }] }],
    ],
    [
      "a text that grows too long by a merge",
      "too_large",
      [{ kind: "merge", path: "m.json", patch: { a: "x".repeat(60) } }],
    ],
    ["one file too many", "quota_exceeded", [write("c", 1), write("d", 1)]],
    ["more files by copying a skill up", "quota_exceeded", [append("skills/x/a.md", 1)]],
    ["too many bytes", "quota_exceeded", [write("c", 41)]],
    ["too many bytes in a blob", "quota_exceeded", [blob("c", 41)]],
    ["too many bytes by copying up", "quota_exceeded", [append("AGENTS.md", 1)]],
    ["one log too many", "quota_exceeded", [append("s.log.jsonl", 1), append("t.log.jsonl", 1)]],
    ["a log past its own allowance", "quota_exceeded", [append("s.log.jsonl", 51)]],
  ])("[W16] refuse %s and leave nothing behind", async (_, code, changes) => {
    const bucket = writableBucket({ limits, template });
    await bucket.change(write("a.md", 30), blob("b", 30));
    const before = await stored(bucket);
    await expect(bucket.change(...changes)).rejects.toMatchObject({ name: "CarrelError", code });
    expect(await stored(bucket)).toEqual(before);
    expect(bucket.totals.totals).toEqual({
      files: 2,
      whiteouts: 0,
      bytes: 60,
      logs: 0,
      logBytes: 0,
    });
  });

  it("[W16] a log has room of its own, and no length of its own", async () => {
    const bucket = writableBucket({ limits: { ...limits, logBytes: 5_000_000 } });
    await bucket.change(append("s.log.jsonl", 1_900_000));
    await bucket.change(append("s.log.jsonl", 1_900_000), write("a", 60));
    await expect(bucket.change(append("s.log.jsonl", 1_900_001))).rejects.toMatchObject({
      code: "too_large",
    });
    expect(bucket.totals.totals).toEqual({
      files: 1,
      whiteouts: 0,
      bytes: 60,
      logs: 1,
      logBytes: 3_800_000,
    });
  });

  it("[W16] a bucket that is full, or past a limit that was lowered, can still shrink", async () => {
    const full = writableBucket({ limits });
    await full.change(write("a", 50), write("b", 50), append("s.log.jsonl", 50));
    await full.change(write("a", 49), { kind: "move", path: "b", to: "c" });
    const bucket = writableBucket({
      ...full,
      limits: { ...limits, files: 1, bytes: 10, logBytes: 1 },
    });
    await bucket.change(write("a", 20));
    await bucket.change({ kind: "delete", path: "c" }, { kind: "delete", path: "s.log.jsonl" });
    await expect(bucket.change(write("a", 21))).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(bucket.totals.totals).toEqual({
      files: 1,
      whiteouts: 0,
      bytes: 20,
      logs: 0,
      logBytes: 0,
    });
  });

  it("[W16] totals follow what others write, too", async () => {
    const bucket = writableBucket();
    await bucket.change(write("a", 5));
    bucket.rows.commit("rescan", (tx) => {
      const [row] = bucket.rows.files.values();
      if (row) tx.putFile({ ...row, size: 9, version: tx.nextVersion() });
    });
    expect(bucket.totals.totals.bytes).toBe(9);
    await bucket.change(write("b", 1));
    expect(bucket.totals.totals).toEqual({
      files: 2,
      whiteouts: 0,
      bytes: 10,
      logs: 0,
      logBytes: 0,
    });
  });

  it("[W16] a refused request with a blob has not put it", async () => {
    const bucket = writableBucket({ limits });
    await expect(bucket.change(blob("a", 70), write("b", 40))).rejects.toMatchObject({
      code: "quota_exceeded",
    });
    expect((await bucket.store.list("")).entries).toEqual([]);
  });
});
