import { describe, expect, it } from "vitest";
import { writableBucket } from "../../support/writable-bucket.ts";

const undo = (path: string) => ({ kind: "undo", path }) as const;

describe("undo", () => {
  it("[W15] destroys nothing that could not be had back", async () => {
    const bucket = writableBucket({ template: { "notes/b.md": "lower" } });
    for (const text of ["one", "two", "three"]) await bucket.write("notes/a.md", text);
    await bucket.write("notes/b.md", "own");
    await bucket.write("agents/main/sessions/sessions.json", "{}");
    await bucket.change({ kind: "append", path: "audit.log.jsonl", text: "{}\n" });
    const before = await bucket.lines();
    for (const path of ["notes/a.md", "notes/b.md", "agents/main/sessions/sessions.json"])
      await expect(bucket.change(undo(path))).rejects.toMatchObject({
        code: "not_found",
        message: expect.stringContaining("An earlier version of"),
      });
    await expect(bucket.change(undo("audit.log.jsonl"))).rejects.toMatchObject({ code: "invalid" });
    expect(await bucket.lines()).toEqual(before);
  });

  it("[W15] of a merge over what was no JSON keeps what it takes away", async () => {
    const bucket = writableBucket();
    await bucket.write("state.json", "broken");
    for (const patch of [{ a: 1 }, { b: 2 }])
      await bucket.change({ kind: "merge", path: "state.json", patch });
    const merged = await bucket.show("state.json");
    await bucket.change(undo("state.json"));
    expect(await bucket.show("state.json")).toBe("broken");
    await bucket.change(undo("state.json"));
    expect(await bucket.show("state.json")).toBe(merged);
  });

  it("[W15] of a definition's first version takes it away, and a second undo brings it back", async () => {
    const bucket = writableBucket();
    await bucket.write("AGENTS.md", "first");
    await bucket.change(undo("AGENTS.md"));
    expect(await bucket.show("AGENTS.md")).toBeNull();
    await bucket.change(undo("AGENTS.md"));
    expect(await bucket.show("AGENTS.md")).toBe("first");
  });

  it("[W6] of a template skill's deletion shows all of it again, and nothing becomes the bucket's own", async () => {
    const bucket = writableBucket({ template: { "skills/x/SKILL.md": "s", "skills/x/a.md": "a" } });
    const before = await bucket.lines();
    for (const path of ["skills/x/SKILL.md", "skills/x/a.md"]) {
      await bucket.change({ kind: "delete", path: "skills/x" });
      expect(await bucket.lines()).toEqual([]);
      await bucket.change(undo(path));
      expect(await bucket.lines()).toEqual(before);
    }
  });

  it("[W15] of an own skill's deletion brings back the file that it names", async () => {
    const bucket = writableBucket({ template: { "skills/x/SKILL.md": "s" } });
    await bucket.write("skills/x/SKILL.md", "own");
    await bucket.change({ kind: "delete", path: "skills/x" });
    await bucket.change(undo("skills/x/SKILL.md"));
    expect(await bucket.show("skills/x/SKILL.md")).toBe("own");
  });
});
