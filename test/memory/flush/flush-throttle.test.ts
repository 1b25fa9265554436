import { describe, expect, it } from "vitest";
import { addLaterJobs } from "../../../src/turn/after/later.ts";
import { writeState } from "../../../src/session/state-documents.ts";
import { sessionTables } from "../../../src/session/schema.ts";
import { defaultContext } from "../../../src/turn/compaction/options.ts";
import { seededRandom } from "../../support/random.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";
import {
  counts,
  FlushLab,
  remembersAll,
  saidIn,
  Slots,
  type FlushLabOptions,
} from "./flush-lab.ts";

const HOUR_MS = 3_600_000;
const hourly = { throttledMs: HOUR_MS };

/** The context now begins at `from`, as after a compaction. */
function compact(lab: FlushLab, from: number): void {
  const sql = sessionTables(lab.sql);
  writeState(sql, "context", { from, compacted: from - 1 });
  const platform = { newId: () => `call-${lab.clock.now()}` };
  const core = { clock: lab.clock, sql, platform } as unknown as Parameters<typeof addLaterJobs>[0];
  addLaterJobs(core, { capabilities: [{ name: "memory", later: () => Promise.resolve(null) }] });
}

const startOf = (lab: FlushLab, turn: string): number => lab.entries(turn)[0]?.seq ?? 0;

/** What the newest request shows of the user's messages. */
const heard = (lab: FlushLab): string[] =>
  [...(lab.model.asked.at(-1) ?? "").matchAll(/^\[USER\]: (.*)$/gm)].map((match) => match[1] ?? "");

describe("a throttled flush", () => {
  it("[M3] asks once in a gap for all sessions of a bucket, whatever instances they have, and loses nothing", async () => {
    const [buckets, slots] = [new WorkspaceLab(), new Slots()];
    const labs = Array.from({ length: 10 }, (_, no) => {
      const address = { agent: "main", user: "ann", session: `s${no}` };
      const workspace = buckets.workspace(address);
      return new FlushLab({ address, workspace, slots, trigger: hourly });
    });
    const asked = () => labs.reduce((sum, lab) => sum + lab.model.asked.length, 0);
    for (const [no, lab] of labs.entries()) {
      lab.say("t", `hello ${no}`);
      await lab.settle();
      lab.restart();
      await lab.fireAlarm();
      await lab.rest();
    }
    expect(asked()).toBe(1);
    expect(slots.claims.filter((claim) => claim.endsWith("true"))).toHaveLength(1);
    // Not all at once.
    const dues = labs.flatMap((lab) => lab.sql.all<{ due: number }>("SELECT due FROM job"));
    expect(new Set(dues.map(({ due }) => due)).size).toBe(9);
    const at: number[] = [];
    // All of them wait on their alarms; the clocks go on together.
    while (labs.some((lab) => lab.alarm !== null)) {
      const [next] = labs
        .filter((lab) => lab.alarm !== null)
        .toSorted((a, b) => (a.alarm ?? 0) - (b.alarm ?? 0));
      const now = Math.max(next?.alarm ?? 0, next?.clock.now() ?? 0);
      slots.now = () => now;
      const before = asked();
      await next?.fireAlarm();
      await next?.settle();
      if (asked() > before) at.push(now);
    }
    expect(asked()).toBe(10);
    expect(at.every((time, no) => time - (at[no - 1] ?? 0) >= HOUR_MS || no === 0)).toBe(true);
    const ledgers = await Promise.all(
      ["1970-01-01"].map((day) => labs[0]?.ledger(day) ?? Promise.resolve("")),
    );
    const said = labs.map((_, no) => `hello ${no}`);
    expect(counts(ledgers.join("\n"), said)).toEqual(said.map(() => 1));
  });

  it("[M3] reads in one go all that was said in the gap", async () => {
    const lab = new FlushLab({ trigger: hourly });
    await lab.turn("a", "one");
    for (const key of ["b", "c", "d"]) await lab.turn(key, `two ${key}`);
    expect(heard(lab)).toEqual(["one"]);
    await lab.finish();
    expect(heard(lab)).toEqual(["two b", "two c", "two d"]);
    expect(lab.clock.now()).toBeGreaterThanOrEqual(HOUR_MS);
    expect(lab.model.asked).toHaveLength(2);
    expect(lab.slots.claims).toHaveLength(3);
  });

  it("[M3] that failed gives its slot back", async () => {
    const lab = new FlushLab({ trigger: hourly });
    lab.model.answer = (request, no) =>
      no === 1 ? { fail: "unavailable" } : remembersAll(request);
    await lab.turn("a", "one");
    expect(lab.slots.released).toEqual(["flush:main"]);
    await lab.finish();
    expect(lab.clock.now()).toBeLessThan(HOUR_MS);
    expect(counts(await lab.ledger(), ["one"])).toEqual([1]);
  });

  it("takes no slot where nobody said a word", async () => {
    const lab = new FlushLab({ trigger: hourly });
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    lab.say("a", [{ hang: true }]);
    await lab.settle();
    lab.session.stop();
    await lab.quiet();
    lab.say("b", { kind: "message", content: [image] });
    lab.session.stop();
    await lab.quiet();
    expect(lab.slots.claims).toHaveLength(1);
    await lab.finish();
    expect([lab.slots.claims.length, lab.model.asked.length]).toEqual([1, 1]);
  });

  it("[M1] of a long backlog goes on within its slot", async () => {
    const lab = new FlushLab({ trigger: hourly });
    await lab.turn("a", "x".repeat(150_000));
    expect(lab.model.asked.length).toBeGreaterThan(2);
    expect(lab.slots.claims).toEqual(["flush:main true"]);
  });

  it("[M1] reads what was compacted at once, without a slot", async () => {
    const lab = new FlushLab({ trigger: hourly });
    for (const key of ["a", "b", "c"]) await lab.turn(key, key);
    compact(lab, startOf(lab, "c"));
    const claims = lab.slots.claims.length;
    await lab.session.alarm();
    await lab.rest();
    expect(heard(lab)).toEqual(["b"]);
    expect(lab.slots.claims.slice(claims)).toEqual(["flush:main false"]);
    await lab.finish();
    expect(heard(lab)).toEqual(["c"]);
  });

  it("[M1] goes on where what was compacted ends with entries of no turn", async () => {
    const lab = new FlushLab({ trigger: hourly });
    await lab.turn("a", "one");
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    await lab.turn("b", "two");
    compact(lab, startOf(lab, "b"));
    await lab.session.alarm();
    await lab.rest();
    await lab.finish();
    expect(counts(await lab.ledger(), ["one", "two"])).toEqual([1, 1]);
    lab.session.clear("ann");
    await lab.turn("c", "three");
    await lab.finish();
    expect(counts(await lab.ledger(), ["one", "two", "three"])).toEqual([1, 1, 1]);
  });

  it("is none with a gap of nothing", async () => {
    const lab = new FlushLab({ trigger: { throttledMs: 0 } });
    await lab.turn("a", "one");
    await lab.turn("b", "two");
    expect([lab.model.asked.length, lab.slots.claims]).toEqual([2, []]);
  });
});

describe("a flush that is never to be", () => {
  it("[M2] reads only what was compacted", async () => {
    const lab = new FlushLab({ trigger: "NEVER" });
    for (const key of ["a", "b", "c"]) await lab.turn(key, key);
    expect(lab.model.asked).toEqual([]);
    compact(lab, startOf(lab, "c"));
    await lab.session.alarm();
    await lab.rest();
    expect(saidIn(lab.model.asked[0] ?? "")).toMatch(/^\[USER\]: a\n[^]*\[USER\]: b\n/);
    expect(heard(lab)).toEqual(["a", "b"]);
    await lab.finish();
    expect(lab.model.asked).toHaveLength(1);
    expect(lab.alarm).toBeNull();
  });

  it("[M2] reads nothing of a conversation that was begun anew, nor of turns that do not know each other", async () => {
    for (const isPerTurn of [false, true]) {
      const lab = new FlushLab({
        trigger: "NEVER",
        lab: { context: { ...defaultContext, isPerTurn } },
      });
      await lab.turn("a", "a");
      if (!isPerTurn) lab.session.clear("ann");
      for (const key of ["b", "c"]) await lab.turn(key, key);
      await lab.finish();
      expect(lab.model.asked).toEqual([]);
    }
  });

  it("[M2] and not before compaction either reads nothing", async () => {
    const lab = new FlushLab({ trigger: "NEVER", flushBeforeCompact: false });
    for (const key of ["a", "b"]) await lab.turn(key, key);
    compact(lab, startOf(lab, "b"));
    await lab.turn("c", "c");
    await lab.finish();
    expect([lab.model.asked, lab.notes()]).toEqual([[], null]);
  });
});

/** Turns with a model, a bucket and an object that fail; what stands in the ledger in the end. */
async function talk(seed: number, options: FlushLabOptions, turns: number) {
  const random = seededRandom(seed);
  const workspace = new WorkspaceLab().workspace();
  let isFaulty = true;
  const fails = (chance: number) => isFaulty && random() < chance;
  const faulty: typeof workspace.change = async (request) => {
    if (fails(0.1)) throw new Error("lost on the way");
    const answer = await workspace.change(request);
    if (fails(0.15)) throw new Error("lost on the way back");
    return answer;
  };
  const lab = new FlushLab({ ...options, workspace: { ...workspace, change: faulty } });
  lab.model.answer = (request) => {
    if (fails(0.2)) return { fail: "unavailable" };
    return fails(0.1) ? { text: "- cut off", finish: "length" } : remembersAll(request);
  };
  for (let no = 0; no < turns; no++) {
    let left = fails(0.4) ? 1 + Math.floor(random() * 25) : Infinity;
    lab.onPoint = () => {
      if (--left <= 0) throw new Error("crash");
    };
    try {
      lab.say(`t${no}`, `message ${no}`);
    } catch {
      // Said once more below.
    }
    await lab.settle();
    await lab.clock.pass(random() * 3_000);
    lab.onPoint = () => {};
    if (left <= 0) {
      lab.restart();
      lab.say(`t${no}`, `message ${no}`);
      await lab.settle();
      if (random() < 0.5) await lab.fireAlarm();
    }
  }
  isFaulty = false;
  await lab.clock.pass(1_000);
  await lab.finish();
  const said = Array.from({ length: turns }, (_, no) => `message ${no}`);
  return { lab, found: counts(await lab.ledger(), said), alarm: lab.alarm };
}

describe("flushes of a session whose model, bucket and object fail", () => {
  it.each([1, 2, 3, 4])("[M1] read each message once, seed %i", async (seed) => {
    const trigger = seed % 3 === 0 ? { throttledMs: 20_000 } : "ALWAYS";
    const { lab, found, alarm } = await talk(seed, { trigger }, 12);
    expect(found).toEqual(found.map(() => 1));
    expect([lab.sql.all("SELECT * FROM job"), alarm]).toEqual([[], null]);
  });
});
