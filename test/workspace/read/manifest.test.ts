import { describe, expect, it } from "vitest";
import { manifestOf } from "../../../src/workspace/read/manifest.ts";
import { readableBucket } from "../../support/readable-bucket.ts";

describe("a manifest", () => {
  it("[W4] tells the files and whiteouts that may show in other buckets", () => {
    const bucket = readableBucket({ "a.md": "12", "b.md": "", "MEMORY.md": "", "plans/p.md": "" });
    bucket.remove("b.md");
    bucket.hide("knowledge/x.md");
    bucket.hide("knowledge/y.md");
    bucket.show("knowledge/y.md");
    const file = { path: "a.md", version: 1, type: "text", size: 2, executable: false, etag: "1" };
    expect(manifestOf(bucket.rows, null)).toEqual({
      version: 8,
      files: [{ ...file, at: 7, by: "user:ann" }],
      whiteouts: ["knowledge/x.md"],
    });
  });

  it("is unchanged while its version is known", () => {
    const bucket = readableBucket({ "a.md": "" });
    expect(manifestOf(bucket.rows, 1)).toBe("unchanged");
    bucket.remove("a.md");
    expect(manifestOf(bucket.rows, 1)).toEqual({ version: 2, files: [], whiteouts: [] });
    expect(manifestOf(readableBucket().rows, 0)).toBe("unchanged");
  });
});
