import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../support/memory-store.ts";
import { indexOf, KEY, LOG, message, rebuilt, SearchLab } from "./search-lab.ts";

const HOUR = 3_600_000;

describe("a search after a change", () => {
  it("[W3, M8, M9] finds what was just written, appended, edited, moved and brought back, and nothing that went", async () => {
    const lab = new SearchLab();
    const ledger = "memory/2026-02-02.md";
    await lab.write("MEMORY.md", "- tea\n");
    expect(await lab.places("tea")).toEqual(["MEMORY.md#1"]);
    await lab.change({ kind: "append", path: ledger, text: "\n- tea with milk\n" });
    expect((await lab.places("tea")).toSorted()).toEqual(["MEMORY.md#1", `${ledger}#2`]);
    const edits = [{ oldText: "tea", newText: "coffee" }];
    await lab.change({ kind: "edit", path: "MEMORY.md", edits });
    expect(await lab.places("tea")).toEqual([`${ledger}#2`]);
    await lab.change({ kind: "undo", path: "MEMORY.md" });
    expect((await lab.places("tea")).toSorted()).toEqual(["MEMORY.md#1", `${ledger}#2`]);
    await lab.change({ kind: "move", path: ledger, to: "memory/archive/2026-02-02.md" });
    expect(await lab.places("milk")).toEqual(["memory/archive/2026-02-02.md#2"]);
    await lab.remove("memory");
    await lab.remove("MEMORY.md");
    expect(await lab.find("tea")).toEqual({ hits: [], isComplete: true, pending: 0 });
  });

  it("[W3, M8] finds what was imported, and what a rescan took in", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", "- tea\n");
    const write = { kind: "write", path: "knowledge/a.md", content: { text: "a heron" } } as const;
    await lab.workspace().stageImport("i1", { no: 0, changes: [write] });
    expect(await lab.texts("heron")).toEqual([]);
    await lab.workspace().commitImport("i1", "user:ann");
    expect(await lab.texts("heron")).toEqual(["a heron"]);
    await lab.pass(HOUR);
    for (const { key } of (await lab.store.list(`${KEY}files/`)).entries)
      if (key.endsWith("MEMORY.md"))
        await lab.store.put(key, new TextEncoder().encode("- a stork\n"));
    await lab.workspace().rescan();
    expect(await lab.texts("stork")).toEqual(["a stork"]);
    expect(await lab.texts("tea")).toEqual([]);
  });

  it("[W11, M8] finds everything after the tables were lost, over what the store has", async () => {
    const store = createMemoryStore();
    const lab = new SearchLab({ store });
    await lab.write("MEMORY.md", "- tea\n");
    await lab.write("memory/2026-02-02.md", "- tea with milk\n");
    await lab.say(LOG, "tea, please", "tea again");
    await lab.pass(HOUR);
    lab.restart({ loss: true });
    const { hits, isComplete } = await lab.find("tea");
    expect([hits.length, isComplete]).toEqual([4, true]);
  });

  it("[I3] finds nothing in a bucket that was erased, and its tables hold no word", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", "- a heron\n");
    await lab.find("heron");
    await lab.bucket(KEY).erase();
    await expect(lab.find("heron")).rejects.toMatchObject({ code: "gone" });
    expect(indexOf(lab.sql(KEY))).toEqual({});
    const data = lab.sql(KEY).all<{ block: Uint8Array }>("SELECT block FROM word_data");
    expect(data.some(({ block }) => Buffer.from(block).includes("heron"))).toBe(false);
  });

  it("[W3, M8] reads again only what has changed", async () => {
    const lab = new SearchLab();
    for (let no = 0; no < 50; no += 1) await lab.write(`memory/n${no}.md`, `- tea ${no}\n`);
    await lab.find("tea");
    const before = lab.written();
    await lab.find("tea");
    expect(lab.written()).toBe(before);
    await lab.write("memory/n1.md", "- coffee\n");
    const changed = lab.written();
    expect(await lab.texts("coffee")).toEqual(["coffee"]);
    expect(lab.written() - changed).toBeLessThan(15);
  });

  it("leaves nothing behind of a workspace that does not exist", async () => {
    const lab = new SearchLab();
    expect(await lab.find("tea")).toEqual({ hits: [], isComplete: true, pending: 0 });
    expect(await lab.stored()).toEqual({});
  });
});

describe("an index that is behind", () => {
  const many = async (lab: SearchLab, files: number) => {
    const text = Array.from({ length: 100 }, (_, no) => `- tea ${no}\n`).join("");
    for (let no = 0; no < files; no += 1) {
      await lab.clock.pass(1);
      await lab.write(`memory/n${no}.md`, `- file f${no}\n${text}`);
    }
  };

  it("[M8] says so, has the newest first, and gets there search by search", async () => {
    const lab = new SearchLab();
    await many(lab, 45);
    const first = await lab.find("f44");
    expect(first.hits.map(({ path }) => path)).toContain("memory/n44.md");
    expect(first).toMatchObject({ isComplete: false, pending: 25 });
    expect(await lab.find("f0", { path: "memory/n44.md" })).toMatchObject({ isComplete: true });
    expect(await lab.find("f0")).toMatchObject({ isComplete: true, pending: 0 });
  });

  it("[M8] is brought up to date by the alarm that settles, without a search", async () => {
    const lab = new SearchLab();
    await many(lab, 45);
    const [[, at] = []] = [...lab.alarms];
    expect(at).toBe(lab.clock.now() - 44 + 10_000);
    await lab.pass(HOUR);
    const before = lab.written();
    expect(await lab.find("f0")).toMatchObject({ isComplete: true, pending: 0 });
    expect(lab.written()).toBe(before);
  });

  it("[M8] goes on after a search that could not do all of it", async () => {
    const lab = new SearchLab(
      {},
      { "knowledge/a.md": "- x\n\n".repeat(2_100), "knowledge/b.md": "a heron" },
    );
    expect((await lab.find("heron")).isComplete).toBe(true);
    await many(lab, 45);
    await lab.find("f1");
    await lab.pass(0);
    expect(await lab.find("f0")).toMatchObject({ isComplete: true, pending: 0 });
  });

  it("[W12, M8] shows what it has when a text cannot be read, and says that it is not all", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", "- tea\n");
    await lab.write("memory/n.md", "- tea with milk\n");
    await lab.pass(HOUR);
    lab.restart({ loss: true });
    await lab.workspace().tree({});
    const { entries } = await lab.store.list(`${KEY}files/memory/`);
    await lab.store.delete(entries.map(({ key }) => key));
    const { hits, ...state } = await lab.find("tea");
    expect(hits.map(({ path }) => path)).toEqual(["MEMORY.md"]);
    expect(state).toEqual({ isComplete: false, pending: 1 });
  });
});

describe("a shared layer that does not answer", () => {
  it("[M8] is asked again a few times, and then nothing is left to wake for", async () => {
    const lab = new SearchLab({ sharedAgeMs: 0 });
    await lab.say(LOG, "tea");
    lab.restart();
    lab.before = ({ from, method }) => {
      if (from !== null && method === "manifest") throw new Error("no answer");
    };
    const before = lab.between.length;
    await lab.pass(24 * HOUR);
    expect(lab.between.length - before).toBeLessThan(20);
    await expect(lab.find("tea")).rejects.toMatchObject({ code: "overloaded" });
    lab.before = () => {};
    expect(await lab.places("tea")).toEqual([`${LOG}#1`]);
  });
});

describe("an object that ends", () => {
  const crash = new Error("crash");

  /** Three messages are said and looked for; at the point number `until` the object ends, and what was asked is asked again. */
  async function run(until: number): Promise<readonly string[]> {
    const points: string[] = [];
    let isDead = false;
    const lab = new SearchLab({
      point(name) {
        points.push(name);
        isDead ||= points.length === until;
        if (isDead) throw crash;
      },
    });
    for (const at of [1, 2, 3]) {
      const append = { kind: "append", path: LOG, text: message("tea", at), op: `m${at}` } as const;
      const say = async () => {
        await lab.change(append);
        await lab.find("tea");
      };
      await say().catch((error: unknown) => expect(error).toBe(crash));
      if (!isDead) continue;
      isDead = false;
      lab.restart();
      await say();
    }
    expect(await lab.find("tea")).toMatchObject({ isComplete: true, pending: 0 });
    expect((await lab.places("tea")).toSorted()).toEqual([`${LOG}#1`, `${LOG}#2`, `${LOG}#3`]);
    const met = [...points];
    const found = indexOf(lab.sql(KEY));
    expect(found).toEqual(await rebuilt(lab));
    return met;
  }

  it("[W11, M8] between a change and its index, or within, loses and doubles nothing", async () => {
    const points = await run(-1);
    expect(points).toContain("commit:index:before");
    for (let until = 1; until <= points.length; until += 1) await run(until);
  });
});
