import { describe, expect, it } from "vitest";
import type { LayerName } from "../../../src/shared/workspace-files.ts";
import { wantedIn } from "../../../src/workspace/index/wanted.ts";
import type { LayerFile } from "../../../src/workspace/layers/layers.ts";
import { createOverlay } from "../../../src/workspace/layers/overlay.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";

const MIB = 1024 * 1024;

const layer = (name: LayerName, files: Readonly<Record<string, Partial<LayerFile>>>) => ({
  name,
  whiteouts: new Set<never>(),
  files: new Map(
    Object.entries(files).map(([path, file]): [ReturnType<typeof workspacePath>, LayerFile] => [
      workspacePath(path),
      { type: "text", size: MIB, executable: false, etag: "1", at: 1, by: "x", row: null, ...file },
    ]),
  ),
});

const numbered = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, no) => [`knowledge/${prefix}${no}.md`, {}]));

describe("the files that an index holds", () => {
  it("[M8] are 8 MiB of lower layers, and all of the bucket's own; what has no room is known", () => {
    const own = layer("own", numbered("own", 20));
    const shared = layer("shared", numbered("shared", 5));
    const template = layer("template", numbered("template", 5));
    const { wanted, refused } = wantedIn(createOverlay([own, shared, template]));
    expect(wanted.size).toBe(28);
    expect(refused).toEqual(["knowledge/template3.md", "knowledge/template4.md"]);
  });

  it("[M8] are texts, and logs where sessions are", () => {
    const own = layer("own", {
      "knowledge/image.md": { type: "blob" },
      "agents/main/sessions/s1.log.jsonl": { type: "log" },
      "agents/main/sessions/sessions.json": {},
      "MEMORY.md": {},
    });
    const { wanted } = wantedIn(createOverlay([own]));
    expect([...wanted.keys()]).toEqual(["MEMORY.md", "agents/main/sessions/s1.log.jsonl"]);
  });
});
