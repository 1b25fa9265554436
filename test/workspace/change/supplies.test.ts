import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/shared/workspace-files.ts";
import type { SharedLayer } from "../../../src/workspace/layers/layers.ts";
import { writableBucket } from "../../support/writable-bucket.ts";

/** A shared layer with a skill of so many files. */
function sharedSkill(count: number) {
  let reads = 0;
  const files = Array.from({ length: count }, (_, no) => ({
    path: `skills/x/${no}.md`,
    version: no + 1,
    type: "text" as const,
    size: 1,
    executable: false,
    etag: String(no + 1),
    at: 0,
    by: "user:root",
  }));
  const shared: SharedLayer = {
    manifest: (): Promise<Manifest> => Promise.resolve({ version: 1, files, whiteouts: [] }),
    read(path) {
      reads += 1;
      const etag = files.find((file) => file.path === path)?.etag ?? "";
      return Promise.resolve({ etag, content: { text: "x" } });
    },
  };
  return { shared, reads: () => reads };
}

const write = { kind: "write", path: "skills/x/SKILL.md", content: { text: "own" } } as const;

describe("what one request can fetch", () => {
  it("[W16] is 500 files of other layers; past that it is refused before any is fetched", async () => {
    const { shared, reads } = sharedSkill(501);
    const bucket = writableBucket({ layersOf: { shared } });
    await expect(bucket.change(write)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("At most 500 files"),
    });
    expect(reads()).toBe(0);
    expect(bucket.rows.files.size).toBe(0);
  });

  it("[W4] is all of a skill of 500 files", async () => {
    const { shared } = sharedSkill(500);
    const bucket = writableBucket({ layersOf: { shared } });
    expect(await bucket.change(write)).toMatchObject([{ touched: 501 }]);
  });
});
