import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/shared/sha256.ts";
import type { Capability } from "../../src/turn/capability.ts";
import { atRest } from "./at-rest.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

const MINUTE_MS = 60_000;

/** A lab that notes when what lies outside is deleted, which can fail or take its time. */
function forgetting(options: LabOptions = {}) {
  const outside = { forgotten: 0, hold: (): Promise<void> => Promise.resolve() };
  const forget = async () => {
    await outside.hold();
    outside.forgotten++;
  };
  return { lab: new SessionLab({ ...options, forget }), outside };
}

/** Every row of every table. */
function everything(lab: SessionLab): Record<string, readonly unknown[]> {
  const names = lab.sql.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table'",
  );
  const tables = names.map(({ name }) => [name, lab.sql.all(`SELECT * FROM ${name}`)] as const);
  return Object.fromEntries(
    tables.filter(([name, rows]) => name !== "schema_step" && rows.length > 0),
  );
}

const KEY = "v1/agents/main/users/ann/sessions/s1/";

async function tombstone(at: number) {
  const hash = await sha256Hex(new TextEncoder().encode(KEY));
  return { state: [{ name: "deleted", body: JSON.stringify({ hash, at }) }] };
}

const code = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String((error as { code?: string }).code);
  }
  return "none";
};

/** Until the deletion has begun, which waits for a digest. */
async function whenMarked(lab: SessionLab): Promise<void> {
  do await lab.settle();
  while (code(() => lab.session.current()) !== "gone");
}

/** What every method answers. */
async function answers(lab: SessionLab): Promise<string[]> {
  const { session } = lab;
  const input = { kind: "message", content: [{ type: "text", text: "x" }] } as const;
  const rejected = async (promise: Promise<unknown>) =>
    promise.then(
      () => "none",
      (error: unknown) =>
        code(() => {
          throw error;
        }),
    );
  return [
    code(() => session.accept({ key: "k", digest: "d", input })),
    code(() => session.tail({})),
    code(() => session.permissions()),
    code(() => session.setPermissions({ mode: "BYPASS" }, "ann")),
    code(() => session.rename("x")),
    code(() => session.clear("ann")),
    code(() => session.importState({}, "ann")),
    code(() => session.stop()),
    code(() => session.history({ limit: 5 })),
    code(() => session.state()),
    code(() => session.current()),
    await rejected(session.answer([], "ann")),
    await rejected(session.remove()),
  ];
}

const gone = Array.from({ length: 13 }, () => "gone");

describe("a deleted session", () => {
  it("[R3] at rest leaves one row, of its hash and the time, and no alarm, and answers gone for ever", async () => {
    const { lab, outside } = forgetting();
    lab.say("a", [
      { text: "secret", calls: [{ name: "read_thing", input: "{}" }] },
      { text: "end" },
    ]);
    await atRest(lab);
    await lab.fireAlarm();
    expect(await lab.session.remove()).toBe(true);
    const left = await tombstone(lab.clock.now());
    expect(everything(lab)).toEqual(left);
    expect(outside.forgotten).toBe(1);
    expect(lab.alarm).toBeNull();
    expect(await answers(lab)).toEqual(gone);
    lab.restart();
    expect(await answers(lab)).toEqual(gone);
    await lab.session.alarm();
    expect(everything(lab)).toEqual(left);
    expect([outside.forgotten, lab.alarm]).toEqual([1, null]);
  });

  it("[I6] that never was is not found, and nothing is stored of asking", async () => {
    const { lab, outside } = forgetting();
    await expect(lab.session.remove()).rejects.toMatchObject({ code: "not_found" });
    expect(everything(lab)).toEqual({});
    expect([outside.forgotten, lab.alarm]).toEqual([0, null]);
    lab.say("a", "hi");
    await lab.settle();
    expect(lab.story("a")).toMatch(/end:completed$/);
  });

  it("takes a running turn, queued ones and open tails with it, and looks once more a minute later", async () => {
    const { lab, outside } = forgetting();
    lab.say("a", [{ text: "on and on", hang: true }]);
    await lab.settle();
    for (const key of ["b", "c"]) lab.say(key, "waits");
    const tails = [lab.listen(), lab.listen({ until: "a" }), lab.listen({ until: "c" })];
    await lab.settle();
    const removed = lab.session.remove();
    await whenMarked(lab);
    expect(await removed).toBe(true);
    expect(tails.map(({ state }) => state)).toEqual(["ended", "ended", "ended"]);
    expect(lab.witness.aborted).toBe(1);
    const at = lab.clock.now();
    const { state } = everything(lab);
    expect(state).toEqual((await tombstone(at)).state);
    expect(everything(lab)["job"]).toMatchObject([{ kind: "erase", payload: "again" }]);
    while (await lab.fireAlarm());
    expect(lab.clock.now()).toBeGreaterThanOrEqual(at + MINUTE_MS);
    expect(everything(lab)).toEqual(await tombstone(at));
    expect(outside.forgotten).toBe(2);
    expect(lab.log.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("[T9] lets nothing of a tool or a model call that goes on be stored", async () => {
    const { lab } = forgetting();
    let go = () => {};
    lab.say("a", [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "never" }]);
    lab.pause = () => new Promise((resolve) => (go = resolve));
    await lab.settle();
    await lab.session.remove();
    const at = lab.clock.now();
    for (let rounds = 0; rounds < 20; rounds++) {
      go();
      await lab.settle();
    }
    while (await lab.fireAlarm());
    expect(everything(lab)).toEqual(await tombstone(at));
  });

  it("is not written by work after turns that had begun: it is waited for", async () => {
    const done: string[] = [];
    let finish = () => {};
    const slow: Capability = {
      name: "slow",
      async afterTurns(_scope, turns) {
        await new Promise<void>((resolve) => (finish = resolve));
        done.push(...turns.map(({ turn }) => turn));
      },
    };
    const { lab, outside } = forgetting({ capabilities: [slow] });
    outside.hold = async () => void done.push("forgotten");
    lab.say("a", "hi");
    await lab.settle();
    await lab.clock.pass(2_000);
    const removed = lab.session.remove();
    await whenMarked(lab);
    expect(done).toEqual([]);
    finish();
    await lab.settle();
    expect(await removed).toBe(true);
    expect(done).toEqual(["a", "forgotten"]);
  });

  it("is not registered again by a call that was under way", async () => {
    const calls: string[] = [];
    let registered = () => {};
    const { lab, outside } = forgetting();
    lab.register = () =>
      new Promise((resolve) => {
        registered = () => (calls.push("registered"), resolve());
      });
    outside.hold = async () => void calls.push("forgotten");
    lab.say("a", "hi");
    const whenRegistered = lab.session.whenRegistered();
    whenRegistered.catch(() => {});
    await lab.settle();
    const removed = lab.session.remove();
    await whenMarked(lab);
    expect(calls).toEqual([]);
    registered();
    await lab.settle();
    expect(await removed).toBe(true);
    expect(calls).toEqual(["registered", "forgotten"]);
    await expect(whenRegistered).rejects.toMatchObject({ code: "gone" });
    expect(everything(lab)["state"]).toHaveLength(1);
  });

  it("[R4] whose files cannot be deleted tries on with backoff, every hour at last, and never gives up", async () => {
    const { lab, outside } = forgetting();
    lab.say("a", "hi");
    await lab.settle();
    outside.hold = () => Promise.reject(new Error("down"));
    expect(await lab.session.remove()).toBe(false);
    expect(await answers(lab)).toEqual(gone);
    const waits: number[] = [];
    for (let tries = 0; tries < 20; tries++) {
      const before = lab.clock.now();
      const attempts = () =>
        lab.sql.all<{ attempts: number }>("SELECT attempts FROM job")[0]?.attempts;
      const seen = attempts();
      while (attempts() === seen) await lab.fireAlarm();
      waits.push(lab.clock.now() - before);
    }
    expect(waits.slice(-3)).toEqual([60 * MINUTE_MS, 60 * MINUTE_MS, 60 * MINUTE_MS]);
    outside.hold = () => Promise.resolve();
    lab.restart();
    while (await lab.fireAlarm());
    expect(Object.keys(everything(lab))).toEqual(["state"]);
    expect(outside.forgotten).toBeGreaterThan(0);
    expect(lab.alarm).toBeNull();
  });

  it("[T1] goes on after a crash at any point of its deletion, and two deletions at once are one", async () => {
    for (const point of [
      "commit:delete:before",
      "commit:delete:after",
      "commit:erase:before",
      "commit:erase:after",
    ]) {
      const { lab, outside } = forgetting();
      lab.say("a", "hi");
      await lab.settle();
      lab.onPoint = (name) => {
        if (name === point) throw new Error("crash");
      };
      await lab.session.remove().catch(() => {});
      lab.onPoint = () => {};
      lab.restart();
      const isDeleted = point !== "commit:delete:before";
      expect(code(() => lab.session.current())).toBe(isDeleted ? "gone" : "none");
      const removals = isDeleted ? [] : [lab.session.remove(), lab.session.remove()];
      const outcomes = await Promise.allSettled(removals);
      expect(outcomes).toMatchObject(
        isDeleted ? [] : [{ value: true }, { status: "rejected", reason: { code: "gone" } }],
      );
      while (await lab.fireAlarm());
      expect(Object.keys(everything(lab))).toEqual(["state"]);
      expect(outside.forgotten).toBeGreaterThan(0);
    }
  });

  it("gives a reader that lags far behind no more of it, and ends it", async () => {
    const { lab } = forgetting();
    lab.say("a", [{ text: "x".repeat(600_000) }]);
    await lab.settle();
    lab.restart();
    const written: number[] = [];
    let go = () => {};
    const tail = lab.session.tail({ after: "0.0" })(async (text) => {
      written.push(text.length);
      await new Promise<void>((resolve) => (go = resolve));
    });
    await lab.settle();
    await lab.session.remove();
    go();
    await tail;
    expect(written).toHaveLength(1);
  });
});
