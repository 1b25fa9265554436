import { unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import type { BucketKey } from "../../src/shared/bucket-key.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { Desk } from "./files-fixture.ts";

const PART = 4 * 1024 * 1024;
const path = "work/s1.log.jsonl";
const address = `/agents/main/files/${path}`;
const options = { directory: "", layer: "own", whiteouts: false } as const;
const key = "v1/agents/main/users/ann/" as BucketKey;

/** Lines that are all different, so that each byte is where it belongs. */
const linesFrom = (no: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"no":${no + index},"said":"${said}"}\n`).join("");

const said = "漢é".repeat(40);

/** A little more than one part. */
const lines = linesFrom(0, 21_000);

let desk: Desk;
let bucket: Workspace;
let errors: unknown[][];

/** In pieces that one row can hold. */
const append = (text: string) => {
  const pieces = text.match(/[^]{1,500000}/g) ?? [];
  const changes = pieces.map((piece) => ({ kind: "append", path, text: piece }) as const);
  return bucket.change({ by: "job:x", changes });
};

const remove = () => bucket.change({ by: "job:x", changes: [{ kind: "delete", path }] });

const reads = () => desk.lab.calls.filter((call) => call === `${key} read`).length;

const answerIs = (bytes: Uint8Array, text: string) =>
  expect(Buffer.from(bytes).toString() === text).toBe(true);

beforeEach(async () => {
  desk = new Desk();
  bucket = desk.workspace();
  await append(lines);
  errors = [];
  vi.spyOn(console, "error").mockImplementation((...said) => void errors.push(said));
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What happens to a log after its first part was read. */
const changes = {
  "is gone": remove,
  "is another, shorter log": async () => {
    await remove();
    await append("{}\n");
  },
  "is another, longer log": async () => {
    await remove();
    await append(linesFrom(7, 22_000));
  },
  "is something else": async () => {
    desk.lab.template = { [path]: "no log" };
    desk.lab.restart();
    await bucket.change({ by: "job:x", changes: [{ kind: "reset", path }] });
  },
  "cannot be read": async () => {
    desk.lab.sql(key).run("DELETE FROM part");
    await Promise.resolve();
  },
};

/** An archive is slower to make, and reads its logs in the same way. */
const IN_ARCHIVES = ["is gone", "cannot be read"];

describe("a log that is longer than one answer", () => {
  it("[W5] is answered whole, part by part, under its etag", async () => {
    const response = await desk.ask("ann", address);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"\d+"$/);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(response.headers.has("content-length")).toBe(false);
    expect(reads()).toBe(1);
    expect(Buffer.byteLength(lines)).toBeGreaterThan(PART);
    answerIs(await response.bytes(), lines);
    expect(reads()).toBe(2);
    const known = await desk.ask("ann", address, { headers: { "if-none-match": etag } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  it("[W5] that grows meanwhile is answered as long as it was, and exported so", async () => {
    const response = await desk.ask("ann", address);
    const more = linesFrom(21_000, 500);
    await append(more);
    answerIs(await response.bytes(), lines);
    const now = lines + more;
    const reader = (await exportArchive(bucket, options)).getReader();
    const chunks: Uint8Array[] = [];
    for (let isGrown = false; ; isGrown = true) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      if (!isGrown) await append("later\n");
    }
    answerIs(unzipSync(Buffer.concat(chunks))[path] ?? new Uint8Array(), now);
  });

  it("reads no further than it is read", async () => {
    await append(linesFrom(21_000, 21_000));
    const response = await desk.ask("ann", address);
    const reader = response.body?.getReader();
    for (let part = 1; part <= 2; part += 1) {
      await reader?.read();
      expect(reads()).toBe(part);
    }
    await reader?.cancel();
    expect(reads()).toBe(2);
  });

  for (const [what, change] of Object.entries(changes)) {
    it(`[W12] is broken off when it ${what} meanwhile`, async () => {
      const response = await desk.ask("ann", address);
      await change();
      await expect(response.bytes()).rejects.toThrow();
      expect(errors).toEqual([[expect.stringContaining("file_broken")]]);
    });

    if (!IN_ARCHIVES.includes(what)) continue;
    it(`[W12] breaks an archive off when it ${what} meanwhile`, async () => {
      const reader = (await exportArchive(bucket, options)).getReader();
      await reader.read();
      await change();
      const rest = async () => {
        while (!(await reader.read()).done);
      };
      await expect(rest()).rejects.toThrow();
      expect(errors).toEqual([[expect.stringContaining("archive_broken")]]);
    });
  }
});
