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
