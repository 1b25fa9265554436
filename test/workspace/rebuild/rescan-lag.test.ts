import { describe, expect, it } from "vitest";
import { rescan } from "../../../src/workspace/rebuild/rescan.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { laggingStore } from "../../support/lagging-store.ts";
import { runOut, settledBucket, type SettledBucket } from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);
const NOTHING = { taken: [], removed: [] };

function lagging(quietMs = 10_000, template: Record<string, string> = {}): SettledBucket {
  const clock = new HastyClock();
  return settledBucket({ clock, store: laggingStore(clock), quietMs, template });
}

const shown = ({ layers }: SettledBucket) => layers.overlay().entries.map(({ path }) => path);

describe("a rescan of a store that is a minute behind", () => {
  it("[W11] removes no file and no whiteout that was put late", async () => {
    const bucket = lagging(180_000, { "AGENTS.md": "lower" });
    await bucket.write("notes/a.md", "precious");
    await bucket.change({ kind: "delete", path: "AGENTS.md" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(5_000);
    const report = await rescan(bucket);
    expect(report).toMatchObject(NOTHING);
    expect(report.refused.map((it) => it.key)).toEqual([
      key("files/notes/a.md"),
      key("whiteouts/AGENTS.md"),
    ]);
    await bucket.clock.sleep(180_000);
    expect(await rescan(bucket)).toEqual({ ...NOTHING, refused: [] });
    expect(shown(bucket)).toEqual(["notes/a.md"]);
  });

  it("[W11] brings back no file that was deleted, not even after a restart", async () => {
    const bucket = lagging();
    await bucket.write("notes/secret.md", "forget me");
    await bucket.write("MEMORY.md", "m");
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(600_000);
    await bucket.store.get(key("files/notes/secret.md"));
    const gone = (path: string) => ({ kind: "delete", path }) as const;
    await bucket.change(gone("notes/secret.md"), gone("MEMORY.md"));
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(5_000);
    const { store, clock, rows } = bucket;
    const next = settledBucket({ store, clock, sql: rows.sql });
    const report = await rescan(next);
    expect(report).toMatchObject(NOTHING);
    expect(report.refused.map((it) => it.key)).toEqual([key("files/notes/secret.md")]);
    await clock.sleep(180_000);
    expect(await rescan(next)).toEqual({ ...NOTHING, refused: [] });
    expect(shown(next)).toEqual([]);
  });

  it("[W6] hides nothing again that was reset, and nothing that only the listing has", async () => {
    const bucket = lagging(10_000, { "AGENTS.md": "lower", "tools.json": "{}" });
    await bucket.change({ kind: "delete", path: "AGENTS.md" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.store.put(key("whiteouts/tools.json"), new Uint8Array());
    await bucket.clock.sleep(600_000);
    await bucket.store.get(key("whiteouts/AGENTS.md"));
    await bucket.change({ kind: "reset", path: "AGENTS.md" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.store.delete([key("whiteouts/tools.json")]);
    await bucket.clock.sleep(5_000);
    expect(await rescan(bucket)).toMatchObject(NOTHING);
    expect(shown(bucket)).toEqual(["AGENTS.md", "tools.json"]);
  });

  it("[W11] takes in no older bytes that it still sees instead of ours", async () => {
    const bucket = lagging();
    await bucket.write("notes/a.md", "one");
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(600_000);
    await bucket.store.put(key("files/notes/a.md"), utf8("by hand"));
    await bucket.clock.sleep(61_000);
    expect((await rescan(bucket)).taken).toEqual(["notes/a.md"]);
    await bucket.write("notes/a.md", "newer");
    await bucket.clock.sleep(61_000);
    await bucket.settler.run();
    await bucket.store.get(key("files/notes/a.md"));
    await rescan(bucket);
    const row = bucket.rows.files.get("notes/a.md" as never);
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "newer" });
  });
});
