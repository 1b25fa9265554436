import { describe, expect, it } from "vitest";
import { writableBucket } from "../../support/writable-bucket.ts";

/** Changes nothing, and binds a request to what is there. */
const bound = (path: string, expect: string) =>
  ({ kind: "append", path, text: "", expect }) as const;

describe("no text that is appended on a condition", () => {
  it("[W9] changes nothing, and lets the rest be done only where it holds", async () => {
    const template = { "skills/pdf/SKILL.md": "lower", "knowledge/a.bin": Uint8Array.of(0, 1) };
    const bucket = writableBucket({ template });
    const own = (await bucket.write("notes.md", "own")).file?.etag ?? "";
    const [skill, blob] = ["skills/pdf/SKILL.md", "knowledge/a.bin"].map(
      (path) =>
        bucket.layers.overlay().entries.find((entry) => entry.path === path)?.file.etag ?? "",
    );
    const conditions = [
      bound("notes.md", own),
      bound("skills/pdf/SKILL.md", skill ?? ""),
      bound("knowledge/a.bin", blob ?? ""),
    ];
    const before = bucket.rows.version;
    const changed = await bucket.change(...conditions);
    expect(changed.map(({ touched }) => touched)).toEqual([0, 0, 0]);
    expect(bucket.rows.version).toBe(before);
    const rest = { kind: "write", path: "b.md", content: { text: "b" } } as const;
    await bucket.change(...conditions, rest);
    expect(await bucket.show("b.md")).toBe("b");
    await bucket.write("notes.md", "other");
    const late = bucket.change({ ...rest, path: "c.md" }, ...conditions);
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(await bucket.show("c.md")).toBeNull();
    expect(await bucket.lines()).toContain("skills/pdf/SKILL.md template lower");
  });

  it("[W9] holds for an appended line, too", async () => {
    const bucket = writableBucket();
    const etag = (await bucket.write("notes.md", "one\n")).file?.etag ?? "";
    const line = { kind: "append", path: "notes.md", text: "two\n", expect: etag } as const;
    await bucket.change(line);
    await expect(bucket.change(line)).rejects.toMatchObject({ code: "conflict" });
    expect(await bucket.show("notes.md")).toBe("one\ntwo\n");
  });
});

describe("a directory that is moved or deleted on a condition", () => {
  const template = { "skills/pdf/SKILL.md": "lower" };
  const etagOf = async (bucket: ReturnType<typeof writableBucket>, path: string) =>
    (await bucket.write(path, path)).file?.etag ?? "";

  it("[W9] goes only while it holds exactly those files, as they were", async () => {
    for (const kind of ["move", "delete"] as const) {
      const bucket = writableBucket({ template });
      const holds = { "a.md": await etagOf(bucket, "in/a.md"), "b/c.md": "" };
      holds["b/c.md"] = await etagOf(bucket, "in/b/c.md");
      const go = { kind, path: "in", to: "out", holds } as const;
      const fails = () => expect(bucket.change(go)).rejects.toMatchObject({ code: "conflict" });
      await bucket.write("in/new.md", "new");
      await fails();
      await bucket.change({ kind: "delete", path: "in/new.md" });
      await bucket.write("in/a.md", "other");
      await fails();
      holds["a.md"] = await etagOf(bucket, "in/a.md");
      await bucket.change({ kind: "delete", path: "in/b/c.md" });
      await fails();
      expect(await bucket.show("in/a.md")).toBe("in/a.md");
      const now = { "a.md": holds["a.md"] };
      await bucket.change({ ...go, holds: now });
      expect(await bucket.show("in/a.md")).toBeNull();
    }
  });

  it("[W9] is also bound to what lower layers show there", async () => {
    const bucket = writableBucket({ template });
    const lower = bucket.layers.overlay().entries[0]?.file.etag ?? "";
    const wrong = { kind: "delete", path: "skills/pdf", holds: {} } as const;
    await expect(bucket.change(wrong)).rejects.toMatchObject({ code: "conflict" });
    await bucket.change({ ...wrong, holds: { "SKILL.md": lower } });
    expect(await bucket.show("skills/pdf/SKILL.md")).toBeNull();
  });
});
