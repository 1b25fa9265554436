import { describe, expect, it } from "vitest";
import { createOverlay } from "../../../src/workspace/layers/overlay.ts";
import { planDelete, planReset, planWrite } from "../../../src/workspace/layers/overlay-change.ts";
import { type TextLayer, apply, at, lines, textLayer } from "../../support/layers.ts";

type Stack = readonly [TextLayer, ...TextLayer[]];

const template = () =>
  textLayer("template", {
    "AGENTS.md": "t",
    "knowledge/KNOWLEDGE.md": "t",
    "knowledge/deep/a.md": "t",
    "skills/x/SKILL.md": "t",
    "skills/x/references/n.md": "t",
    "subagents/critic.md": "t",
    "MEMORY.md": "t",
  });

function write(layers: Stack, path: string, text: string): void {
  apply(layers[0], planWrite(createOverlay(layers), at(path)));
  layers[0].files.set(at(path), text);
}
const remove = (layers: Stack, path: string) =>
  apply(layers[0], planDelete(createOverlay(layers), at(path)));
const reset = (layers: Stack, path: string) =>
  apply(layers[0], planReset(createOverlay(layers), at(path)));
const text = (layers: Stack, path: string) => createOverlay(layers).get(at(path))?.file ?? null;

describe("an overlay", () => {
  it("[W4] shows own, then shared, then template; what is only below stays visible", () => {
    const own = textLayer("own", { "AGENTS.md": "o", "notes.md": "o" });
    const shared = textLayer("shared", {
      "AGENTS.md": "s",
      "knowledge/deep/a.md": "s",
      "tools.json": "s",
    });
    expect(lines(own, shared, template())).toEqual([
      "AGENTS.md own o",
      "knowledge/KNOWLEDGE.md template t",
      "knowledge/deep/a.md shared s",
      "notes.md own o",
      "skills/x/SKILL.md template t",
      "skills/x/references/n.md template t",
      "subagents/critic.md template t",
      "tools.json shared s",
    ]);
  });

  it("[W4] memory and runtime files are the bucket's own", () => {
    const files = {
      "MEMORY.md": "1",
      "memory/2026-11-30.md": "1",
      "skills/_drafts/y/SKILL.md": "1",
    };
    const own = textLayer("own");
    const shared = textLayer("shared", files);
    expect(lines(own, shared, textLayer("template", files))).toEqual([]);
    write([own, shared], "MEMORY.md", "mine");
    expect(lines(own, shared)).toEqual(["MEMORY.md own mine"]);
    expect(lines(shared)).toHaveLength(3);
  });

  it("[W6] a blank override hides the lower file", () => {
    const own = textLayer("own", { "AGENTS.md": "" });
    expect(createOverlay([own, template()]).get(at("AGENTS.md"))).toEqual({
      path: "AGENTS.md",
      layer: "own",
      file: "",
    });
  });

  it("lists one level, sorted, with the layer that each line comes from", () => {
    const own = textLayer("own", { "knowledge/deep/b.md": "o", "knowledge.md": "o" });
    const overlay = createOverlay([own, template()]);
    const list = (path: string) =>
      overlay.list(at(path))?.map((it) => `${it.path} ${it.layer} ${it.file ?? "/"}`) ?? null;
    expect(list("")).toEqual([
      "AGENTS.md template t",
      "knowledge own /",
      "knowledge.md own o",
      "skills template /",
      "subagents template /",
    ]);
    expect(list("knowledge")).toEqual([
      "knowledge/KNOWLEDGE.md template t",
      "knowledge/deep own /",
    ]);
    expect(list("knowledge/deep")).toEqual([
      "knowledge/deep/a.md template t",
      "knowledge/deep/b.md own o",
    ]);
    expect([list("AGENTS.md"), list("know"), list("no/such")]).toEqual([null, null, null]);
    expect(createOverlay([textLayer("own")]).list(at(""))).toEqual([]);
  });

  it("[W4] a file hides a lower directory of its name, and a directory a lower file", () => {
    const own = textLayer("own", { a: "o", "b/c": "o" });
    const lower = textLayer("template", { "a/x": "t", b: "t", "ab/x": "t" });
    expect(lines(own, lower)).toEqual(["a own o", "ab/x template t", "b/c own o"]);
  });
});

describe("deleting and resetting", () => {
  it("[W6] a deleted file is gone, and reset brings the lower one back", () => {
    const layers: Stack = [textLayer("own", { "AGENTS.md": "o" }), textLayer("shared"), template()];
    remove(layers, "AGENTS.md");
    expect(text(layers, "AGENTS.md")).toBeNull();
    reset(layers, "AGENTS.md");
    expect(text(layers, "AGENTS.md")).toBe("t");
    write(layers, "AGENTS.md", "again");
    reset(layers, "AGENTS.md");
    expect(text(layers, "AGENTS.md")).toBe("t");
  });

  it("[W7] a deleted template file stays deleted after an upgrade; a changed one shows unless overridden", () => {
    const own = textLayer("own");
    remove([own, template()], "knowledge/deep/a.md");
    write([own, template()], "AGENTS.md", "o");
    const newer = textLayer("template", {
      "AGENTS.md": "t2",
      "knowledge/deep/a.md": "t2",
      "knowledge/KNOWLEDGE.md": "t2",
    });
    expect(lines(own, textLayer("template"))).toEqual(["AGENTS.md own o"]);
    expect(lines(own, newer)).toEqual(["AGENTS.md own o", "knowledge/KNOWLEDGE.md template t2"]);
  });

  it("[W6] a deleted file can be written again and deleted again", () => {
    const layers: Stack = [textLayer("own"), template()];
    for (const words of ["one", "two"]) {
      write(layers, "AGENTS.md", words);
      expect(text(layers, "AGENTS.md")).toBe(words);
      remove(layers, "AGENTS.md");
      expect(text(layers, "AGENTS.md")).toBeNull();
    }
  });

  it("[W6] a directory is deleted and reset with all below it, and with nothing beside it", () => {
    const layers: Stack = [
      textLayer("own", { "knowledge/mine.md": "o", "knowledge.md": "o" }),
      template(),
    ];
    remove(layers, "knowledge");
    expect(createOverlay(layers).under(at("knowledge"))).toEqual([]);
    expect(text(layers, "knowledge.md")).toBe("o");
    reset(layers, "knowledge");
    expect(createOverlay(layers).under(at("knowledge"))).toHaveLength(2);
  });

  it("resetting everything leaves what overrides nothing", () => {
    const own = textLayer("own", { "AGENTS.md": "o", "notes.md": "o", "MEMORY.md": "o" });
    remove([own, template()], "subagents/critic.md");
    reset([own, template()], "");
    expect(lines(own)).toEqual(["MEMORY.md own o", "notes.md own o"]);
    expect(text([own, template()], "subagents/critic.md")).toBe("t");
  });

  it("does nothing where nothing is, leaves no whiteout without need, and refuses the root", () => {
    const layers: Stack = [textLayer("own", { "notes.md": "o" }), template()];
    const nothing = { copy: [], remove: [], hide: [], show: [] };
    expect(planDelete(createOverlay(layers), at("no/such"))).toEqual(nothing);
    expect(planReset(createOverlay(layers), at("notes.md"))).toEqual(nothing);
    expect(planDelete(createOverlay(layers), at("notes.md"))).toEqual({
      ...nothing,
      remove: ["notes.md"],
    });
    expect(() => planDelete(createOverlay(layers), at("/"))).toThrow(/cannot be deleted/);
    expect(() => planWrite(createOverlay(layers), at("/"))).toThrow(/not a file/);
  });

  it("[W6] what comes to light under what is deleted is hidden as well, layer by layer", () => {
    const own = textLayer("own", { a: "o" });
    const layers: Stack = [
      own,
      textLayer("shared", { "a/b": "s" }),
      textLayer("template", { "a/b/c": "t" }),
    ];
    remove(layers, "a");
    expect(lines(...layers)).toEqual([]);
    reset(layers, "a");
    expect(lines(...layers)).toEqual(["a/b shared s"]);
  });
});

describe("a skill", () => {
  it("[W4] is whole from one layer: the first write copies it up", () => {
    const layers: Stack = [textLayer("own"), textLayer("shared"), template()];
    write(layers, "skills/x/SKILL.md", "o");
    expect(lines(...layers).filter((line) => line.startsWith("skills"))).toEqual([
      "skills/x/SKILL.md own o",
      "skills/x/references/n.md own t",
    ]);
    const newer = textLayer("template", { "skills/x/SKILL.md": "t2", "skills/x/new.md": "t2" });
    expect(lines(layers[0], newer)).toHaveLength(2);
  });

  it("[W4] hides all of the lower one, whatever its own files are called", () => {
    const own = textLayer("own", { "skills/x/other.md": "o" });
    expect(lines(own, template()).filter((line) => line.startsWith("skills"))).toEqual([
      "skills/x/other.md own o",
    ]);
  });

  it("[W7] that is deleted stays so, also with files that a later template adds; reset brings it back", () => {
    const own = textLayer("own");
    remove([own, template()], "skills/x");
    expect([...own.whiteouts]).toEqual(["skills/x"]);
    const newer = textLayer("template", { "skills/x/new.md": "t2", "skills/y/SKILL.md": "t2" });
    expect(lines(own, newer)).toEqual(["skills/y/SKILL.md template t2"]);
    reset([own, newer], "skills/x/new.md");
    expect(lines(own, newer)).toHaveLength(2);
  });

  it("[W6] that loses one file of a lower layer keeps the others as its own; losing the last hides it", () => {
    const layers: Stack = [textLayer("own"), template()];
    remove(layers, "skills/x/references");
    expect(lines(...layers).filter((line) => line.startsWith("skills"))).toEqual([
      "skills/x/SKILL.md own t",
    ]);
    remove(layers, "skills/x/SKILL.md");
    expect(createOverlay(layers).under(at("skills"))).toEqual([]);
    reset(layers, "skills/x");
    expect(createOverlay(layers).under(at("skills/x"))).toHaveLength(2);
  });

  it("written anew where one was deleted has nothing of the old one", () => {
    const layers: Stack = [textLayer("own"), template()];
    remove(layers, "skills/x");
    write(layers, "skills/x/SKILL.md", "new");
    expect(
      createOverlay(layers)
        .under(at("skills/x"))
        .map(({ path }) => path),
    ).toEqual(["skills/x/SKILL.md"]);
  });
});

describe("writing", () => {
  it.each(["knowledge", "skills/x", "AGENTS.md/x", "AGENTS.md/x/y", "skills/x/SKILL.md/z"])(
    "refuses %s, where it would meet a file or directory of another layer",
    (path) => {
      const overlay = createOverlay([textLayer("own"), template()]);
      expect(() => planWrite(overlay, at(path))).toThrow(
        expect.objectContaining({ code: "conflict" }),
      );
    },
  );

  it("may take the place of what was deleted, as a file or as a directory", () => {
    const layers: Stack = [textLayer("own"), template()];
    remove(layers, "knowledge");
    remove(layers, "AGENTS.md");
    write(layers, "knowledge", "file");
    write(layers, "AGENTS.md/part.md", "file");
    expect(text(layers, "knowledge")).toBe("file");
    expect(
      createOverlay(layers)
        .under(at("AGENTS.md"))
        .map(({ path }) => path),
    ).toEqual(["AGENTS.md/part.md"]);
  });
});
