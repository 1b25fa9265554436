import { beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../../../src/workspace/store/blob-store.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { seededRandom } from "../../support/random.ts";
import { settledBucket } from "../../support/settled-bucket.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const MIB = 1024 * 1024;
const path = "agents/main/sessions/s1.log.jsonl";

/** A log of about 9 MiB: sealed parts first, then open text in several rows; characters of all lengths. */
async function longLog(store: BlobStore) {
  const lab = new WorkspaceLab({ store });
  const workspace = lab.workspace();
  let text = "";
  const append = async (piece: string) => {
    text += piece;
    await workspace.change({ by: "job:x", changes: [{ kind: "append", path, text: piece }] });
  };
  for (let no = 0; no < 12; no += 1) await append(`{"no":${no},"said":"aé漢😀"}\n`.repeat(20_000));
  await lab.pass(600_000);
  for (let no = 0; no < 40; no += 1) await append(`{"no":${no},"said":"😀漢éa"}\n`.repeat(2_000));
  return { workspace, bytes: Buffer.from(text) };
}

const bytesAt = async (workspace: Workspace, from: number): Promise<Buffer> => {
  const { content } = await workspace.read({ path, from });
  if (!("bytes" in content)) throw new Error("a part of a log must be bytes");
  return Buffer.from(content.bytes);
};

describe("a log in parts", () => {
  let gets: string[];
  let log: Awaited<ReturnType<typeof longLog>>;
  beforeAll(async () => {
    const inner = createMemoryStore();
    const get: BlobStore["get"] = (key) => {
      gets.push(key);
      return inner.get(key);
    };
    gets = [];
    log = await longLog({ ...inner, get });
  });

  it("[W5] is the same bytes from any of them on, wherever they lie", async () => {
    const { workspace, bytes } = log;
    expect(bytes.length).toBeGreaterThan(8 * MIB);
    const random = seededRandom(5);
    const places = Array.from({ length: 12 }, () => Math.floor(random() * bytes.length));
    for (const from of [0, 1, bytes.length - 1, bytes.length, ...places]) {
      const part = await bytesAt(workspace, from);
      expect(part.equals(bytes.subarray(from, from + 4 * MIB)), String(from)).toBe(true);
    }
  });

  it("[W5] is whole when each goes on where the one before ended", async () => {
    const { workspace, bytes } = log;
    const parts: Buffer[] = [];
    for (let from: number | null = 0; from !== null;) {
      const { file, content, next } = await workspace.read({ path, from });
      expect(file.size).toBe(bytes.length);
      parts.push(Buffer.from("bytes" in content ? content.bytes : []));
      from = next;
    }
    expect(parts.map(({ length }) => length).slice(0, 2)).toEqual([4 * MIB, 4 * MIB]);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  });

  it("reads only those sealed parts that hold some of it", async () => {
    const { workspace, bytes } = log;
    gets.length = 0;
    await bytesAt(workspace, bytes.length - 100);
    expect(gets).toEqual([]);
    await bytesAt(workspace, 0);
    expect(gets.length).toBeGreaterThan(0);
    expect(gets.length).toBeLessThanOrEqual(5);
    expect(new Set(gets).size).toBe(gets.length);
  });

  it("[W12] that has lost one of them is never shorter", async () => {
    const lost: BlobStore = { ...createMemoryStore(), get: () => Promise.resolve(null) };
    const { workspace } = await longLog(lost);
    await expect(bytesAt(workspace, 0)).rejects.toThrow("has lost");
    const bucket = settledBucket();
    await bucket.change({ kind: "append", path, text: "{}\n" });
    const row = bucket.rows.files.get(at(path));
    if (!row) throw new Error("no log");
    expect(await bucket.contents.logPart(row, 1)).toEqual({
      bytes: new TextEncoder().encode("}\n"),
    });
    bucket.rows.sql.run("DELETE FROM part");
    await expect(bucket.contents.logPart(row, 1)).rejects.toThrow("missing");
  });

  it("is refused past its end, of what is no log, and of versions", async () => {
    const { workspace, bytes } = log;
    const content = { text: "text" };
    await workspace.change({
      by: "user:ann",
      changes: [{ kind: "write", path: "AGENTS.md", content }],
    });
    const read = (given: object) => workspace.read({ path, ...given });
    expect(await read({ path: "AGENTS.md", from: 0 })).toMatchObject({ content, next: null });
    await expect(read({ from: bytes.length + 1 })).rejects.toMatchObject({ code: "conflict" });
    for (const given of [
      { path: "AGENTS.md", from: 1 },
      { path: "AGENTS.md", from: 0, version: 1 },
      { from: -1 },
      { from: 0.5 },
    ])
      await expect(read(given)).rejects.toMatchObject({ code: "invalid" });
  });

  it("[W4] of the shared layer is read there", async () => {
    const lab = new WorkspaceLab();
    const text = `{"a":1}\n`.repeat(100_000);
    for (const append of [text, text, text, text, text, text, text])
      await lab
        .workspace({}, "AGENT")
        .change({ by: "x", changes: [{ kind: "append", path: "x.log.jsonl", text: append }] });
    const { file, content, next } = await lab.workspace().read({ path: "x.log.jsonl", from: 8 });
    expect([file.layer, file.size, next]).toEqual(["shared", 5_600_000, 8 + 4 * MIB]);
    expect("bytes" in content && content.bytes.length).toBe(4 * MIB);
    const rest = await lab.workspace().read({ path: "x.log.jsonl", from: next ?? 0 });
    expect(rest.next).toBe(null);
  });
});
