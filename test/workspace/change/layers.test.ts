import { describe, expect, it } from "vitest";
import type { Content, Manifest } from "../../../src/shared/workspace-files.ts";
import type { SharedLayer } from "../../../src/workspace/layers/layers.ts";
import { at } from "../../support/layers.ts";
import { writableBucket } from "../../support/writable-bucket.ts";

const template = {
  "AGENTS.md": "template",
  "knowledge/a.md": "ka",
  "knowledge/b.md": "kb",
  "skills/x/SKILL.md": "skill",
  "skills/x/ref/n.md": "note",
  "subagents/critic.md": "critic",
};

/** A shared layer with one file, whose etag and content `next` decides each time it is read. */
function sharedFile(path: string, next: (reads: number) => { etag: string; content: Content }) {
  let reads = 0;
  const manifest = (): Manifest => ({
    version: reads,
    whiteouts: [],
    files: [
      {
        path,
        version: 1,
        type: "text",
        size: 1,
        executable: false,
        etag: next(reads).etag,
        at: 0,
        by: "a",
      },
    ],
  });
  const shared: SharedLayer = {
    manifest: () => Promise.resolve(manifest()),
    async read() {
      await Promise.resolve();
      reads += 1;
      return next(reads);
    },
  };
  return { shared, reads: () => reads };
}

describe("changes over lower layers", () => {
  it("[W4] the first write in a skill copies it up whole, and later ones do not", async () => {
    const bucket = writableBucket({ template });
    const [changed] = await bucket.change({
      kind: "edit",
      path: "skills/x/SKILL.md",
      edits: [{ oldText: "skill", newText: "mine" }],
    });
    expect(changed).toMatchObject({ touched: 2, replaced: [1] });
    expect((await bucket.lines()).slice(3, 5)).toEqual([
      "skills/x/SKILL.md own mine",
      "skills/x/ref/n.md own note",
    ]);
    expect((await bucket.write("skills/x/new.md", "n")).touched).toBe(1);
  });

  it("[W4] an append and an edit of a lower file leave all others to their layer", async () => {
    const bucket = writableBucket({ template });
    await bucket.change({ kind: "append", path: "knowledge/a.md", text: "+" });
    await bucket.change({ kind: "merge", path: "subagents/critic.md", patch: { a: 1 } });
    expect((await bucket.lines()).slice(1, 3)).toEqual([
      "knowledge/a.md own ka+",
      "knowledge/b.md template kb",
    ]);
    expect(bucket.rows.files.size).toBe(2);
  });

  it("[W6] a blank override is blank; a delete hides, a write shows again, a reset brings back", async () => {
    const bucket = writableBucket({ template });
    await bucket.write("AGENTS.md", "");
    expect(await bucket.show("AGENTS.md")).toBe("");
    await bucket.change({ kind: "delete", path: "AGENTS.md" });
    expect(await bucket.show("AGENTS.md")).toBeNull();
    const whiteout = () => bucket.rows.whiteouts.get(at("AGENTS.md"));
    expect(whiteout()).toMatchObject({ present: true, dirty: 0 });
    await bucket.write("AGENTS.md", "mine");
    expect(whiteout()).toMatchObject({ present: false, dirty: 0 });
    await bucket.change({ kind: "delete", path: "AGENTS.md" });
    const [changed] = await bucket.change({ kind: "reset", path: "AGENTS.md" });
    expect(changed?.file).toMatchObject({ layer: "template", by: null });
    expect(await bucket.show("AGENTS.md")).toBe("template");
    expect(await bucket.change({ kind: "reset", path: "AGENTS.md" })).toMatchObject([
      { touched: 0 },
    ]);
  });

  it("[W6] what is deleted stays known until the store has let go of it", async () => {
    const bucket = writableBucket({ template });
    await bucket.write("a.md", "1");
    bucket.rows.commit("settle", (tx) => {
      const row = bucket.rows.files.get(at("a.md"));
      if (row) tx.putFile({ ...row, dirty: null, tag: "t1" });
    });
    await bucket.write("b.md", "1");
    await bucket.clock.pass(5);
    await bucket.change({ kind: "delete", path: "a.md" }, { kind: "delete", path: "b.md" });
    const gone = { type: "gone", body: null, size: 0, sha256: null };
    expect(bucket.rows.files.get(at("a.md"))).toMatchObject({ ...gone, dirty: 5, tag: "t1" });
    expect(bucket.rows.files.get(at("b.md"))).toMatchObject({ ...gone, dirty: 0, tag: null });
    await bucket.write("a.md", "2");
    expect(bucket.rows.files.get(at("a.md"))).toMatchObject({ type: "text", dirty: 5, tag: "t1" });
  });

  it("[W6] a directory of several layers moves whole and hides what lies below", async () => {
    const bucket = writableBucket({ template });
    await bucket.write("knowledge/a.md", "mine");
    const [changed] = await bucket.change({ kind: "move", path: "knowledge", to: "archive" });
    expect(changed).toMatchObject({ file: null, touched: 2 });
    expect(await bucket.lines()).toEqual([
      "AGENTS.md template template",
      "archive/a.md own mine",
      "archive/b.md own kb",
      "skills/x/SKILL.md template skill",
      "skills/x/ref/n.md template note",
      "subagents/critic.md template critic",
    ]);
    await bucket.change({ kind: "reset", path: "" });
    expect((await bucket.lines()).slice(3, 5)).toEqual([
      "knowledge/a.md template ka",
      "knowledge/b.md template kb",
    ]);
  });

  it("[W9] a shared file that changes while it is fetched is fetched again", async () => {
    const { shared, reads } = sharedFile("knowledge/s.md", (count) =>
      count === 0 ? { etag: "1", content: { text: "o" } } : { etag: "2", content: { text: "n" } },
    );
    const bucket = writableBucket({ layersOf: { shared, sharedAgeMs: 0 } });
    await bucket.change({ kind: "append", path: "knowledge/s.md", text: "+" });
    expect(await bucket.show("knowledge/s.md")).toBe("n+");
    expect(reads()).toBeLessThanOrEqual(2);
  });

  it("[W9] one that changes each time is a conflict in the end, and nothing is stored", async () => {
    const { shared, reads } = sharedFile("knowledge/s.md", (count) => ({
      etag: String(count),
      content: { text: "x" },
    }));
    const never: SharedLayer = {
      ...shared,
      read: async (path) => ({ ...(await shared.read(path)), etag: "another" }),
    };
    const bucket = writableBucket({ layersOf: { shared: never, sharedAgeMs: 0 } });
    await expect(
      bucket.change({ kind: "append", path: "knowledge/s.md", text: "+" }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(reads()).toBeLessThan(10);
    expect(bucket.rows.files.size).toBe(0);
  });

  it("[W12] a lower file that cannot be read is an error, never an empty copy", async () => {
    const { shared } = sharedFile("knowledge/s.md", () => ({ etag: "1", content: { text: "x" } }));
    const lost: SharedLayer = { ...shared, read: () => Promise.reject(new Error("lost")) };
    const bucket = writableBucket({ layersOf: { shared: lost } });
    await expect(
      bucket.change({ kind: "append", path: "knowledge/s.md", text: "+" }),
    ).rejects.toMatchObject({ code: "overloaded" });
    expect(bucket.rows.files.size).toBe(0);
  });

  it("[W12] an own text that is lost is an error, never edited or moved as if it were empty", async () => {
    const bucket = writableBucket();
    await bucket.write("MEMORY.md", "m");
    bucket.rows.commit("lose", (tx) =>
      tx.dropBody(bucket.rows.files.get(at("MEMORY.md"))?.body ?? 0),
    );
    const edits = [{ oldText: "m", newText: "n" }];
    await expect(bucket.change({ kind: "edit", path: "MEMORY.md", edits })).rejects.toThrow(
      /missing/,
    );
    await expect(bucket.change({ kind: "merge", path: "MEMORY.md", patch: {} })).rejects.toThrow(
      /missing/,
    );
    await expect(bucket.change({ kind: "move", path: "MEMORY.md", to: "m.md" })).rejects.toThrow(
      /missing/,
    );
    expect(bucket.rows.files.get(at("MEMORY.md"))?.version).toBe(1);
  });

  it("[W3] own files are changed without the shared layer, also while it cannot be reached", async () => {
    const { shared } = sharedFile("knowledge/s.md", () => ({ etag: "1", content: { text: "x" } }));
    const first = writableBucket({ layersOf: { shared } });
    await first.change({ kind: "append", path: "agents/main/s.log.jsonl", text: "1\n" });
    const away: SharedLayer = { ...shared, manifest: () => Promise.reject(new Error("away")) };
    const bucket = writableBucket({ ...first, layersOf: { shared: away } });
    const append = { kind: "append", path: "agents/main/s.log.jsonl", text: "2\n" } as const;
    expect(await bucket.change(append)).toMatchObject([{ file: { size: 4 } }]);
  });
});
