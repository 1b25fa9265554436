import { describe, expect, it } from "vitest";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { bucketTables } from "../../src/workspace/schema.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { eraseBucket } from "../../src/workspace/workspace.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const ann = { agent: "main", user: "ann" };
const SESSION = bucketPrefix({ scope: "SESSION", ...ann, session: "s1" });
const USER = bucketPrefix({ scope: "USER", ...ann });
const owners = { [SESSION]: { session: "s1" }, [USER]: {} };

const MINUTES = 60_000;

const keysIn = async (store: BlobStore, prefix = ""): Promise<string[]> =>
  (await store.list(prefix)).entries.map(({ key }) => key).toSorted();

type Tables = Record<string, readonly unknown[]>;

function tablesIn(sql: Sql): Tables {
  const names = sql.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return Object.fromEntries(names.map(({ name }) => [name, sql.all(`SELECT * FROM ${name}`)]));
}

/** Every row of a bucket, but for what new tables have, too. */
function rowsOf(lab: WorkspaceLab, bucket: BucketKey): Tables {
  const made = nodeSql(openDatabase());
  bucketTables(made).run("DELETE FROM meta");
  const none = tablesIn(made);
  const isNew = ([name, rows]: [string, readonly unknown[]]) =>
    JSON.stringify(rows) === JSON.stringify(none[name]);
  const tables = Object.entries(tablesIn(lab.sql(bucket)));
  return Object.fromEntries(tables.filter((table) => !isNew(table)));
}

const workspaceOf = (lab: WorkspaceLab, bucket: BucketKey) =>
  lab.workspace(owners[bucket] ?? {}, bucket === SESSION ? "SESSION" : "USER");

/** Files of every kind that a store holds, two of them with a history, and a log of several parts. */
async function fill(lab: WorkspaceLab, bucket: BucketKey): Promise<void> {
  const workspace = workspaceOf(lab, bucket);
  for (const text of ["one", "two"]) {
    const changes = [
      { kind: "write", path: "AGENTS.md", content: { text } },
      { kind: "write", path: "logo.png", content: { bytes: Uint8Array.of(0, 255, text.length) } },
      { kind: "append", path: "x.log.jsonl", text: `${"x".repeat(400_000)}\n` },
    ] as const;
    await workspace.change({ by: "user:ann", changes });
    await lab.pass(15_000);
  }
  const hide = { kind: "delete", path: "knowledge/a.md" } as const;
  await workspace.change({ by: "user:ann", changes: [hide] });
  await lab.pass(15_000);
}

const template = { "knowledge/a.md": "seed" };

describe("erasing a bucket", () => {
  it.each([SESSION, USER])(
    "leaves nothing in the store, one row, and no alarm: %s",
    async (bucket) => {
      const lab = new WorkspaceLab({ template });
      await fill(lab, bucket);
      const kinds = (await keysIn(lab.store, bucket)).map(
        (key) => key.slice(bucket.length).split("/")[0],
      );
      expect(new Set(kinds).size).toBe(5);

      await eraseBucket(bucket, lab.callBucket);
      expect(await keysIn(lab.store, bucket)).toEqual([]);
      const at = lab.clock.now();
      await lab.pass(10 * MINUTES);
      expect(rowsOf(lab, bucket)).toEqual({ meta: [{ name: "erased", value: String(at) }] });
      expect(lab.alarms.has(bucket)).toBe(false);
      expect(lab.unregistered).toContain(bucket);
    },
  );

  it("[W11] answers gone ever after, also from an object that wakes over keys of the bucket", async () => {
    const lab = new WorkspaceLab({ template });
    await fill(lab, SESSION);
    const [key] = await keysIn(lab.store, `${SESSION}files/`);
    await eraseBucket(SESSION, lab.callBucket);
    await lab.store.put(key as StorageKey, new TextEncoder().encode("again"));
    for (const restarts of [0, 1]) {
      if (restarts > 0) lab.restart();
      const workspace = workspaceOf(lab, SESSION);
      const change = { kind: "write", path: "a.md", content: { text: "x" } } as const;
      for (const call of [
        workspace.tree({}),
        workspace.read({ path: "AGENTS.md" }),
        workspace.change({ by: "user:ann", changes: [change] }),
        workspace.snapshot({ known: null, files: ["AGENTS.md"], lists: [] }),
        workspace.glob({ pattern: "**" }),
        workspace.grep({ pattern: "one" }),
        workspace.history("AGENTS.md"),
        workspace.usage(),
        workspace.rescan(),
        workspace.whiteouts(),
        workspace.stageImport("i", { no: 0, changes: [change] }),
        workspace.commitImport("i", "user:ann"),
      ])
        await expect(call).rejects.toMatchObject({ code: "gone" });
    }
    await lab.pass(10 * MINUTES);
    expect(await keysIn(lab.store, SESSION)).toEqual([]);
  });

  it("takes with a user's bucket none of the sessions' buckets below it, nor another user's", async () => {
    const lab = new WorkspaceLab({ template });
    await fill(lab, USER);
    await fill(lab, SESSION);
    const others = await keysIn(lab.store, SESSION);
    await eraseBucket(USER, lab.callBucket);
    await lab.pass(10 * MINUTES);
    expect(await keysIn(lab.store)).toEqual(others);
    expect((await workspaceOf(lab, SESSION).read({ path: "AGENTS.md" })).content).toEqual({
      text: "two",
    });
  });

  it("goes on by itself, with backoff and after a restart, until the store has deleted everything", async () => {
    const inner = createMemoryStore();
    let isDown = true;
    const down = () => Promise.reject(new Error("down"));
    const store: BlobStore = { ...inner, delete: (keys) => (isDown ? down() : inner.delete(keys)) };
    const lab = new WorkspaceLab({ template, store });
    await fill(lab, SESSION);
    const erased = eraseBucket(SESSION, lab.callBucket).catch(
      (error: { code: string }) => error.code,
    );
    await lab.clock.pass(MINUTES);
    expect(await erased).toBe("overloaded");
    expect(rowsOf(lab, SESSION)["file"]).toBeUndefined();
    await lab.pass(5 * MINUTES);
    lab.restart();
    isDown = false;
    await lab.pass(20 * MINUTES);
    expect(await keysIn(lab.store, SESSION)).toEqual([]);
    expect(Object.keys(rowsOf(lab, SESSION))).toEqual(["meta"]);
    await eraseBucket(SESSION, lab.callBucket);
  });

  it("deletes what a put that was under way brings later", async () => {
    const inner = createMemoryStore();
    const late: (() => Promise<unknown>)[] = [];
    let isSlow = false;
    const store: BlobStore = {
      ...inner,
      put: (...args) =>
        isSlow
          ? new Promise((resolve) => {
              const put = () => inner.put(...args).then(resolve);
              late.push(put);
            })
          : inner.put(...args),
    };
    const lab = new WorkspaceLab({ template, store });
    const workspace = workspaceOf(lab, SESSION);
    const change = { kind: "write", path: "a.md", content: { text: "late" } } as const;
    await workspace.change({ by: "user:ann", changes: [change] });
    isSlow = true;
    await lab.clock.pass(15_000);
    const settling = lab.bucket(SESSION).alarm();
    while (late.length === 0) await lab.clock.pass(0);
    await eraseBucket(SESSION, lab.callBucket);
    for (const put of late) await put();
    await settling;
    expect(await keysIn(lab.store, SESSION)).not.toEqual([]);
    await lab.pass(10 * MINUTES);
    expect(await keysIn(lab.store, SESSION)).toEqual([]);
    expect(Object.keys(rowsOf(lab, SESSION))).toEqual(["meta"]);
  });

  it("of a bucket that never was keeps it from ever being", async () => {
    const lab = new WorkspaceLab({ template });
    await eraseBucket(SESSION, lab.callBucket);
    await expect(workspaceOf(lab, SESSION).tree({})).rejects.toMatchObject({ code: "gone" });
    await lab.pass(10 * MINUTES);
    expect([...lab.alarms.keys()]).toEqual([]);
  });
});
