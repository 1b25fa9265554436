import { unzipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import type { FakeWorkspace } from "./fake-workspace.ts";
import { Desk } from "./files-fixture.ts";

const path = "agents/main/sessions/s1.log.jsonl";
const address = `/agents/main/files/${path}`;
const options = { directory: "", layer: "own", whiteouts: false } as const;

/** Lines that are all different, so that each byte is where it belongs. */
const linesFrom = (no: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"no":${no + index},"said":"漢é"}\n`).join("");

const lines = linesFrom(0, 1_000);

let desk: Desk;
let bucket: FakeWorkspace;
let errors: unknown[][];

const append = (text: string) =>
  bucket.change({ by: "job:x", changes: [{ kind: "append", path, text }] });

const remove = () => bucket.change({ by: "job:x", changes: [{ kind: "delete", path }] });

const answerIs = (bytes: Uint8Array, text: string) =>
  expect(Buffer.from(bytes).toString() === text).toBe(true);

beforeEach(async () => {
  desk = new Desk();
  bucket = desk.bucket("ann");
  bucket.part = 4_001;
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
    await append(linesFrom(7, 2_000));
  },
  "is something else": async () => {
    const { read } = bucket;
    bucket.read = async (request) => {
      const answer = await read({ ...request, from: 0 });
      const text = "no log";
      return { file: { ...answer.file, type: "text", size: 6 }, content: { text }, next: null };
    };
    await Promise.resolve();
  },
  "cannot be read": async () => {
    bucket.read = () => Promise.reject(new Error("the store is down"));
    await Promise.resolve();
  },
};

describe("a log that is longer than one answer", () => {
  it("[W5] is answered whole, part by part, under its etag", async () => {
    const response = await desk.ask("ann", address);
    expect(response.headers.get("etag")).toBe('"1"');
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(response.headers.has("content-length")).toBe(false);
    expect(bucket.reads).toBe(1);
    answerIs(await response.bytes(), lines);
    expect(bucket.reads).toBeLessThan(12);
    const known = await desk.ask("ann", address, { headers: { "if-none-match": '"1"' } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  it("[W5] that grows meanwhile is answered as long as it was, and exported so", async () => {
    const response = await desk.ask("ann", address);
    await append(linesFrom(1_000, 500));
    answerIs(await response.bytes(), lines);
    const now = lines + linesFrom(1_000, 500);
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
    const response = await desk.ask("ann", address);
    const reader = response.body?.getReader();
    for (let part = 1; part <= 3; part += 1) {
      await reader?.read();
      expect(bucket.reads).toBe(part);
    }
    await reader?.cancel();
    expect(bucket.reads).toBe(3);
  });

  for (const [what, change] of Object.entries(changes)) {
    it(`[W12] is broken off when it ${what} meanwhile`, async () => {
      const response = await desk.ask("ann", address);
      await change();
      await expect(response.bytes()).rejects.toThrow();
      expect(errors).toEqual([[expect.stringContaining("file_broken")]]);
    });

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
