import { env, runDurableObjectAlarm } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { RescanReport } from "../../src/shared/workspace-api.ts";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { createKvStore } from "../../src/workspace/store/kv-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { ask, filesOf, userBucket, workspaceStub } from "./workspace-object.ts";

const bytes = Uint8Array.of(0xff, 0, 0x80, 7);

beforeEach(() => {
  resetOutside();
  outside().variables = { SETTLE_QUIET_MS: "0", SETTLE_AT_MOST_MS: "0" };
  for (const level of ["info", "warn"] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
});

async function change(bucket: BucketKey, ...changes: readonly Change[]): Promise<void> {
  await ask(bucket, (api, key) => api.change(key, { by: "user:ann", changes }));
}

/** Runs the bucket's alarm until the store has confirmed everything. */
async function settle(bucket: BucketKey): Promise<void> {
  const usage = () => ask(bucket, (api, key) => api.usage(key));
  while ((await usage()).usage.unsettled > 0) await runDurableObjectAlarm(workspaceStub(bucket));
}

/** Everything of a bucket in KV, put below the prefix of another. Gives the keys. */
async function copyInKv(from: BucketKey, to: BucketKey): Promise<string[]> {
  const store = createKvStore(env.WORKSPACE_KV);
  const { entries, cursor } = await store.list(from);
  if (cursor !== null) throw new Error("more than one page");
  for (const { key, metadata } of entries) {
    const found = await store.get(key);
    if (!found) throw new Error(`${key} is gone`);
    await store.put(`${to}${key.slice(from.length)}` as StorageKey, found.bytes, { metadata });
  }
  return entries.map(({ key }) => key);
}

describe("a bucket over KV", () => {
  it("[W11] settles there, and an object that wakes empty over a copy of its keys has the same files", async () => {
    outside().variables = { ...outside().variables, STORE: "kv" };
    const bucket = userBucket("kv-a");
    const long = `notes/${"länge/".repeat(60)}x.md`;
    await change(
      bucket,
      { kind: "write", path: "AGENTS.md", content: { text: "one" } },
      { kind: "write", path: "logo.png", content: { bytes } },
      { kind: "write", path: long, content: { text: "\ufefflong\r\n" } },
      { kind: "append", path: "x.log.jsonl", text: '{"no":1}\n' },
      { kind: "delete", path: "knowledge/turns.md" },
    );
    await settle(bucket);
    await change(
      bucket,
      { kind: "write", path: "AGENTS.md", content: { text: "two" } },
      { kind: "append", path: "x.log.jsonl", text: '{"no":2}\n' },
    );
    await settle(bucket);
    expect(await env.WORKSPACE_KV.get(`${bucket}files/AGENTS.md`)).toBe("two");
    expect((await env.WORKSPACE.list({ prefix: bucket })).objects).toEqual([]);

    const copy = userBucket("kv-b");
    expect(await copyInKv(bucket, copy)).toContain(`${bucket}files/${long}`);
    const files = await filesOf(bucket);
    expect(files).toMatchObject({
      "AGENTS.md": "own two",
      "logo.png": `own bytes:${bytes.join()}`,
      [long]: "own \ufefflong\r\n",
      "x.log.jsonl": 'own {"no":1}\n{"no":2}\n',
    });
    expect(files).not.toHaveProperty("knowledge/turns.md");
    expect(await filesOf(copy)).toEqual(files);
  });
});

async function rescan(who: object): Promise<RescanReport> {
  const response = await exports.default.fetch("http://localhost/v1/admin/rescan", {
    method: "POST",
    body: JSON.stringify(who),
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(200);
  return await response.json();
}

async function read(agent: string, user: string, path: string): Promise<string> {
  const url = `http://localhost/v1/agents/${agent}/files/${path}`;
  const response = await exports.default.fetch(url, { headers: { "x-carrel-user": user } });
  return await response.text();
}

describe("a rescan over HTTP", () => {
  it("[W11] takes in what was put and changed in R2, and reads have it from then on", async () => {
    const who = { agent: "main", user: "w11" };
    const bucket = bucketPrefix({ scope: "USER", ...who });
    await change(bucket, { kind: "write", path: "notes/ours.md", content: { text: "ours" } });
    await settle(bucket);
    await env.WORKSPACE.put(`${bucket}files/notes/theirs.md`, "theirs");
    await env.WORKSPACE.put(`${bucket}files/notes/ours.md`, "ours, changed");
    expect(await read("main", "w11", "notes/ours.md")).toBe("ours");
    const report = await rescan(who);
    expect(report).toEqual({
      taken: ["notes/ours.md", "notes/theirs.md"],
      removed: [],
      refused: [],
    });
    expect(await read("main", "w11", "notes/ours.md")).toBe("ours, changed");
    expect(await read("main", "w11", "notes/theirs.md")).toBe("theirs");
    expect(await rescan(who)).toEqual({ taken: [], removed: [], refused: [] });
  });

  it("[W11] says what it refused and why", async () => {
    const who = { agent: "main", user: "w11-refused" };
    const key = `${bucketPrefix({ scope: "USER", ...who })}files/a//b.md`;
    await env.WORKSPACE.put(key, "x");
    const refused = [{ key, why: expect.stringContaining("Store it under another") as string }];
    expect(await rescan(who)).toEqual({ taken: [], removed: [], refused });
  });

  it("[W11] asks the bucket of the scope and that of the user's records", async () => {
    const who = { agent: "by-agent", user: "w11" };
    const plan = "plans/s1/PLAN.md";
    const records = bucketPrefix({ scope: "USER", ...who });
    const home = bucketPrefix({ scope: "AGENT", agent: who.agent });
    await rescan(who);
    await env.WORKSPACE.put(`${home}files/notes/of-all.md`, "of all");
    await env.WORKSPACE.put(`${records}files/${plan}`, "a plan");
    expect(await rescan(who)).toEqual({
      taken: ["notes/of-all.md", plan],
      removed: [],
      refused: [],
    });
    expect(await read(who.agent, who.user, "notes/of-all.md")).toBe("of all");
    expect(await read(who.agent, who.user, plan)).toBe("a plan");
  });
});
