import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { sha256Hex } from "../../src/shared/sha256.ts";
import { applyChanges } from "../../src/workspace/change/change.ts";
import { storageKey } from "../../src/workspace/store/storage-key.ts";
import { history } from "../../src/workspace/versions.ts";
import { at } from "../support/layers.ts";
import { writableBucket, type WritableBucket } from "../support/writable-bucket.ts";

const told = (bucket: WritableBucket, path: string) =>
  history(bucket.rows, path).map(({ version, type, by }) => `${version} ${type} ${by}`);

const undo = (bucket: WritableBucket, path: string, version?: number) =>
  bucket.change({ kind: "undo", path, ...(version !== undefined && { version }) });

describe("versions", () => {
  it("[W15] history names what was there, who wrote it and when, newest first", async () => {
    const bucket = writableBucket();
    const by = (author: string, text: string) =>
      applyChanges(bucket, {
        by: author,
        changes: [{ kind: "write", path: "MEMORY.md", content: { text } }],
      });
    await by("user:ann", "1");
    await bucket.clock.pass(10);
    await by("agent:main/s1", "22");
    await bucket.clock.pass(10);
    await applyChanges(bucket, {
      by: "job:flush",
      changes: [{ kind: "delete", path: "MEMORY.md" }],
    });
    expect(history(bucket.rows, "/MEMORY.md")).toEqual([
      { version: 3, etag: "3", type: "deleted", size: 0, at: 20, by: "job:flush" },
      { version: 2, etag: "2", type: "text", size: 2, at: 10, by: "agent:main/s1" },
      { version: 1, etag: "1", type: "text", size: 1, at: 0, by: "user:ann" },
    ]);
    await undo(bucket, "MEMORY.md");
    expect(told(bucket, "MEMORY.md")[0]).toBe("4 text user:ann");
    expect(await bucket.show("MEMORY.md")).toBe("22");
    expect(history(bucket.rows, "knowledge/none.md")).toEqual([]);
  });

  it.each([
    "AGENTS.md",
    "tools.json",
    "knowledge/a.md",
    "skills/x/SKILL.md",
    "subagents/a.md",
    "MEMORY.md",
    "memory/day.md",
  ])(
    "[W15] every overwrite, edit and delete of %s can be undone, and the undo, too",
    async (path) => {
      const bucket = writableBucket();
      await bucket.write(path, "one");
      await bucket.write(path, "two");
      await bucket.change({ kind: "edit", path, edits: [{ oldText: "two", newText: "three" }] });
      await undo(bucket, path);
      expect(await bucket.show(path)).toBe("two");
      await undo(bucket, path);
      expect(await bucket.show(path)).toBe("three");
      await bucket.change({ kind: "delete", path });
      await undo(bucket, path);
      expect(await bucket.show(path)).toBe("three");
      await undo(bucket, path);
      expect(await bucket.show(path)).toBeNull();
      await undo(bucket, path);
      expect(await bucket.show(path)).toBe("three");
      await undo(bucket, path, 1);
      expect(await bucket.show(path)).toBe("one");
    },
  );

  it("[W15] what a move, a reset and a blob replace can be had back", async () => {
    const bucket = writableBucket({ template: { "AGENTS.md": "t" } });
    await bucket.write("MEMORY.md", "m");
    await bucket.write("memory/old.md", "o");
    await bucket.change({ kind: "move", path: "MEMORY.md", to: "memory/old.md", overwrite: true });
    await undo(bucket, "memory/old.md");
    await undo(bucket, "MEMORY.md");
    expect(await bucket.lines()).toEqual([
      "AGENTS.md template t",
      "MEMORY.md own m",
      "memory/old.md own o",
    ]);

    await bucket.write("AGENTS.md", "mine");
    await bucket.change({ kind: "reset", path: "AGENTS.md" });
    expect(history(bucket.rows, "AGENTS.md").map(({ type }) => type)).toEqual(["reset", "text"]);
    await undo(bucket, "AGENTS.md");
    expect(await bucket.show("AGENTS.md")).toBe("mine");
    const blob = { bytes: Uint8Array.of(0, 1) };
    await bucket.change({ kind: "write", path: "AGENTS.md", content: blob });
    await bucket.write("AGENTS.md", "text again");
    await undo(bucket, "AGENTS.md");
    expect(await bucket.show("AGENTS.md")).toEqual(blob.bytes);
  });

  it("[W15] before its first own version a file is what lies below, back and forth", async () => {
    const bucket = writableBucket({ template: { "AGENTS.md": "t", "knowledge/a.md": "k" } });
    await bucket.write("AGENTS.md", "mine");
    await bucket.change({ kind: "delete", path: "knowledge/a.md" });
    for (const [persona, knowledge] of [
      ["t", "k"],
      ["mine", null],
      ["t", "k"],
    ] as const) {
      await undo(bucket, "AGENTS.md");
      await undo(bucket, "knowledge/a.md");
      expect(await bucket.show("AGENTS.md")).toBe(persona);
      expect(await bucket.show("knowledge/a.md")).toBe(knowledge);
    }
  });

  it("[W15] a file deleted from a skill of the template comes back into the bucket's own copy", async () => {
    const bucket = writableBucket({ template: { "skills/x/SKILL.md": "s", "skills/x/n.md": "n" } });
    await bucket.change({ kind: "delete", path: "skills/x/n.md" });
    await bucket.write("skills/x/SKILL.md", "mine");
    await undo(bucket, "skills/x/n.md");
    expect(await bucket.lines()).toEqual(["skills/x/SKILL.md own mine", "skills/x/n.md own n"]);
  });

  it("[W15] a version whose text has moved to the store is restored from there", async () => {
    const bucket = writableBucket();
    await bucket.write("MEMORY.md", "old");
    await bucket.write("MEMORY.md", "new");
    const key = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
    const bytes = new TextEncoder().encode("old");
    const name = storageKey(key, { kind: "versions", path: at("MEMORY.md"), number: 1 });
    bucket.sql.run("DELETE FROM part WHERE body = (SELECT body FROM version)");
    bucket.sql.run("UPDATE version SET body = NULL, sha256 = ?", await sha256Hex(bytes));
    await expect(undo(bucket, "MEMORY.md")).rejects.toThrow(/lost/);
    await bucket.store.put(name, bytes);
    await undo(bucket, "MEMORY.md");
    expect(await bucket.show("MEMORY.md")).toBe("old");
  });

  it("[W15] a text that only the store has is fetched before it is overwritten", async () => {
    const bucket = writableBucket();
    await bucket.write("MEMORY.md", "old");
    const key = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
    await bucket.store.put(
      storageKey(key, { kind: "files", path: at("MEMORY.md") }),
      new TextEncoder().encode("old"),
    );
    bucket.rows.commit("rebuilt", (tx) => {
      const row = bucket.rows.files.get(at("MEMORY.md"));
      if (!row || row.body === null) throw new Error("no text");
      tx.dropBody(row.body);
      tx.putFile({ ...row, body: null });
    });
    await bucket.write("MEMORY.md", "new");
    await undo(bucket, "MEMORY.md");
    expect(await bucket.show("MEMORY.md")).toBe("old");
  });

  it("[W15] the newest are kept, the rest goes with its text; working files keep none", async () => {
    const bucket = writableBucket({ limits: { versions: 3 } });
    for (let no = 0; no < 9; no += 1) {
      await bucket.write("MEMORY.md", `m${no}`);
      await bucket.write("notes.md", `n${no}`);
    }
    expect(history(bucket.rows, "MEMORY.md").map(({ version }) => version)).toEqual([
      17, 15, 13, 11,
    ]);
    expect(told(bucket, "notes.md")).toHaveLength(1);
    const texts = bucket.sql.all<{ text: string }>("SELECT text FROM part ORDER BY body");
    expect(texts.map(({ text }) => text).toSorted()).toEqual(["m5", "m6", "m7", "m8", "n8"]);
    await bucket.change({ kind: "move", path: "MEMORY.md", to: "notes.md", overwrite: true });
    expect(await bucket.show("notes.md")).toBe("m8");
  });

  it("[W15] an append makes no version, and an overwrite keeps all that was appended", async () => {
    const bucket = writableBucket();
    for (const text of ["a", "b", "c"])
      await bucket.change({ kind: "append", path: "memory/d.md", text });
    expect(told(bucket, "memory/d.md")).toHaveLength(1);
    await bucket.write("memory/d.md", "x");
    await undo(bucket, "memory/d.md");
    expect(await bucket.show("memory/d.md")).toBe("abc");
  });

  it("[W15] an undo stands alone in a request for its path", async () => {
    const bucket = writableBucket();
    await bucket.write("MEMORY.md", "1");
    await bucket.write("MEMORY.md", "2");
    await expect(
      bucket.change(
        { kind: "append", path: "MEMORY.md", text: "+" },
        { kind: "undo", path: "MEMORY.md" },
      ),
    ).rejects.toThrow(/request of its own/);
  });
});
