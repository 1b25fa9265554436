import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import { carryLog, drain, MIB, own, watched } from "../support/whole-bucket.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

describe("an export of a whole bucket", () => {
  it("[W17] of 2,000 files costs one call for each 8 MiB, each when the last was sent", async () => {
    const lab = new WorkspaceLab();
    const source = lab.workspace();
    const nameOf = (no: number) => `knowledge/${String(no).padStart(4, "0")}.md`;
    const textOf = (no: number) => `# File ${no}\n`.padEnd(12_000, "the same words again ");
    for (const half of [0, 1_000])
      await source.change({
        by: "user:ann",
        changes: Array.from({ length: 1_000 }, (_, index) => ({
          kind: "write",
          path: nameOf(half + index),
          content: { text: textOf(half + index) },
        })),
      });
    const calls = lab.calls.length;
    const { workspace, answers } = watched(source);
    const reader = (await exportArchive(workspace, own)).getReader();
    await reader.read();
    expect(answers.length).toBe(1);
    await reader.cancel();
    const { bytes } = await drain(await exportArchive(workspace, own));
    const asked = lab.calls.slice(calls).map((call) => call.split(" ")[1]);
    expect(asked.filter((method) => method !== "readMany")).toEqual([
      "manifest",
      "tree",
      "manifest",
      "tree",
    ]);
    expect(answers.length - 1).toBe(Math.ceil((2_000 * 12_000) / (8 * MIB)));
    expect(Math.max(...answers)).toBeLessThanOrEqual(8 * MIB);
    const unpacked = unzipSync(bytes);
    expect(Object.keys(unpacked).length).toBe(2_000);
    expect(Buffer.from(unpacked[nameOf(1_234)] ?? []).toString()).toBe(textOf(1_234));
  });

  it("[W5] [W17] takes a log of 12 MiB in parts of 4, and another bucket has the same bytes", async () => {
    await carryLog(12 * MIB);
  });
});
