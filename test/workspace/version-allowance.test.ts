import { describe, expect, it } from "vitest";
import { versionRows } from "../../src/workspace/versions.ts";
import { at } from "../support/layers.ts";
import { runOut, settledBucket, type SettledBucket } from "../support/settled-bucket.ts";

const DAY_MS = 86_400_000;

const count = ({ rows }: SettledBucket) =>
  rows.sql.all<{ rows: number; bytes: number }>(
    "SELECT count(*) AS rows, coalesce(sum(size), 0) AS bytes FROM version",
  )[0];

const versionsOf = ({ rows }: SettledBucket, path: string) =>
  versionRows(rows, at(path)).map(({ version }) => version);

describe("the allowance for earlier versions", () => {
  it("[W16] bounds their number and bytes, and with them what the store keeps", async () => {
    const bucket = settledBucket({
      limits: { bytes: 1_000, files: 5, versionRows: 40, versionBytes: 6_000 },
    });
    for (let no = 0; no < 100; no += 1) {
      const bytes = new Uint8Array(400).fill(no);
      await bucket.write(`knowledge/${no}.bin`, bytes);
      await bucket.change({ kind: "delete", path: `knowledge/${no}.bin` });
      expect(count(bucket)?.rows).toBeLessThanOrEqual(40);
      expect(count(bucket)?.bytes).toBeLessThanOrEqual(6_000);
      expect(versionsOf(bucket, `knowledge/${no}.bin`)).toHaveLength(2);
    }
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(40 * DAY_MS);
    await runOut(bucket.sweeper, bucket.clock);
    const kept = (await bucket.store.list(`${bucket.bucket}blobs/`)).entries;
    expect(kept.length).toBeLessThanOrEqual(15);
  });

  it("[W15] takes first from what was deleted long ago, then what was replaced first, and never the newest", async () => {
    const bucket = settledBucket({ limits: { versionRows: 6 } });
    await bucket.write("knowledge/live.md", "1");
    await bucket.write("knowledge/live.md", "2");
    await bucket.write("knowledge/old.md", "1");
    await bucket.change({ kind: "delete", path: "knowledge/old.md" });
    await bucket.clock.sleep(2 * DAY_MS);
    await bucket.write("knowledge/new.md", "1");
    await bucket.change({ kind: "delete", path: "knowledge/new.md" });
    await bucket.write("knowledge/live.md", "3");
    expect(count(bucket)?.rows).toBe(6);
    await bucket.write("knowledge/live.md", "4");
    expect(versionsOf(bucket, "knowledge/old.md")).toEqual([]);
    expect(versionsOf(bucket, "knowledge/new.md")).toHaveLength(2);
    expect(versionsOf(bucket, "knowledge/live.md")).toHaveLength(3);
    await bucket.write("knowledge/live.md", "5");
    await bucket.write("knowledge/live.md", "6");
    const [newest] = versionsOf(bucket, "knowledge/live.md");
    expect((await bucket.change({ kind: "undo", path: "knowledge/live.md" }))[0]?.file?.size).toBe(
      1,
    );
    expect(newest).toBe(9);
  });

  it("[W16] does not look at all versions while there is room, and counts right after a change that failed", async () => {
    const bucket = settledBucket();
    await bucket.write("AGENTS.md", "1");
    await bucket.write("AGENTS.md", "2");
    const total = () => bucket.rows.commit("test", (tx) => tx.countHistory(0, 0));
    expect(total()).toEqual({ rows: 1, bytes: 1 });
    const broken = () =>
      bucket.rows.commit("test", (tx) => {
        tx.countHistory(5, 50);
        throw new Error("full");
      });
    expect(broken).toThrow("full");
    expect(total()).toEqual(count(bucket));
    const queries: string[] = [];
    const { sql } = bucket.rows;
    const all = sql.all.bind(sql);
    Object.assign(sql, {
      all: (query: string, ...rest: never[]) => (queries.push(query), all(query, ...rest)),
    });
    await bucket.write("AGENTS.md", "3");
    expect(queries.filter((query) => /FROM version(?! WHERE path)/.test(query))).toEqual([]);
    expect(total()).toEqual({ rows: 2, bytes: 2 });
  });
});
