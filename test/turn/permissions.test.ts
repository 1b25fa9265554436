import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { identified } from "../support/client.ts";
import { refuseLargeRows } from "../support/large-rows.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { AskingLab, call, named, waitingLab, yes } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

const jobs = (lab: AskingLab) =>
  lab.sql.all<{ id: string }>("SELECT id FROM job").map(({ id }) => id);

describe("the permissions of a session", () => {
  it("[A2] are the operator's until someone chooses, and then those, also after a restart", async () => {
    const lab = new AskingLab({ permissions: { allow: [{ tool: "keyed_thing" }] } });
    expect(lab.session.permissions()).toMatchObject({
      session: { mode: "DEFAULT", allow: [], ask: [], deny: [] },
      operator: { allow: [{ tool: "keyed_thing" }], ask: [], deny: [] },
    });
    const ask = [{ tool: "read_thing" }];
    lab.session.setPermissions({ mode: "ACCEPT_EDITS", ask }, "ann");
    lab.session.setPermissions({ deny: [{ tool: "x" }] }, "ann");
    const chosen = { mode: "ACCEPT_EDITS", allow: [], ask, deny: [{ tool: "x" }] };
    expect(lab.session.permissions().session).toEqual(chosen);
    lab.again();
    expect(lab.session.permissions().session).toEqual(chosen);
    expect(lab.status().mode).toBe("ACCEPT_EDITS");
    expect(lab.facts("permissions")).toBe("permissions permissions");
  });

  it("make the session known to the registry when nothing was said in it yet", async () => {
    const lab = new AskingLab();
    let told = 0;
    lab.register = async () => void told++;
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    expect(jobs(lab)).toEqual(["register"]);
    expect(lab.alarm).toBe(30_000);
    await lab.session.whenRegistered();
    expect({ told, jobs: jobs(lab) }).toEqual({ told: 1, jobs: [] });
  });

  it("store nothing when nothing changes", () => {
    const lab = new AskingLab();
    lab.session.setPermissions({ mode: "DEFAULT", allow: [] }, "ann");
    lab.session.setPermissions({}, "ann");
    expect(lab.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    expect(lab.facts("permissions")).toBe("permissions");
  });

  it("[H1] are no mode that the operator does not offer, and no rules that are none", () => {
    const lab = new AskingLab({ permissions: { modes: ["DEFAULT", "EXPLORE"] } });
    expect(() => lab.session.setPermissions({ mode: "BYPASS" }, "ann")).toThrow(code("forbidden"));
    const change = { allow: [{ tool: "" }] };
    expect(() => lab.session.setPermissions(change, "ann")).toThrow(code("invalid"));
    expect(lab.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
  });

  it("are what they were when storing them failed", async () => {
    const lab = new AskingLab();
    lab.say("t", "hi");
    await lab.settle();
    const sql = { ...lab.sql };
    const transaction: Sql["transaction"] = (work) =>
      sql.transaction(() => {
        work();
        throw new Error("disk I/O error");
      });
    Object.assign(lab.sql, { transaction });
    expect(() => lab.session.setPermissions({ mode: "BYPASS" }, "ann")).toThrow("disk I/O error");
    Object.assign(lab.sql, sql);
    expect(lab.session.permissions().session.mode).toBe("DEFAULT");
  });
});

describe("a change of permissions while calls wait", () => {
  it("[A2] runs what may run now, and says by whom it was allowed", async () => {
    const lab = await waitingLab("one", "two");
    lab.session.setPermissions({ mode: "BYPASS" }, "ann");
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:one", "unsafe_thing:two"]);
    expect(lab.story()).toBe(
      "user step:tool-calls asked asked waiting permissions answered intent result:success answered intent result:success step:stop end:completed",
    );
    expect(lab.entries()).toContainEqual(
      expect.objectContaining({ kind: "answered", answer: "approved", by: "session" }),
    );
  });

  it.each(["EXPLORE", "DONT_ASK"] as const)("[A2] to %s denies them", async (mode) => {
    const lab = await waitingLab("one");
    lab.session.setPermissions({ mode }, "ann");
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:denied result:denied end:completed",
    );
  });

  it.each([
    ["BYPASS", "answered:approved result:success"],
    ["DONT_ASK", "answered:denied result:denied"],
  ] as const)(
    "[A2] to %s holds for them too while others of their step run",
    async (mode, then) => {
      const lab = new AskingLab();
      const gate = Promise.withResolvers<void>();
      const calls = [call("unsafe_thing", "one"), call("read_thing", "slow")];
      lab.say("t", [{ calls }, { text: "ok" }]);
      lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
      await lab.settle();
      expect(lab.status()).toMatchObject({ turns: [{ state: "running" }], pending: [{}] });
      lab.session.setPermissions({ mode }, "ann");
      gate.resolve();
      await lab.settle();
      expect(lab.facts("answered", "result", "waiting", "end")).toBe(
        `result:success ${then} end:completed`,
      );
      expect(lab.pending()).toEqual([]);
    },
  );

  it("[A4] that leaves them asked about asks nothing anew: the question that was seen is answered", async () => {
    const lab = await waitingLab("one");
    const question = lab.question("one");
    lab.session.setPermissions({ allow: [{ tool: "other" }] }, "ann");
    await lab.settle();
    expect(lab.facts("asked", "waiting")).toBe("asked waiting waiting");
    expect(lab.status()).toMatchObject({ turns: [{ state: "waiting" }], pending: [question] });
    expect(await lab.answer({ ...named(question), ...yes })).toBe("taken");
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A4] holds for a call that was approved and has not run yet", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const calls = [call("probed_thing", "slow"), call("unsafe_thing", "one")];
    lab.say("t", [{ calls }, { text: "ok" }]);
    await lab.settle();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    const both = ["slow", "one"].map((label) => ({ ...named(lab.question(label)), ...yes }));
    expect(await lab.answer(...both)).toBe("taken,taken");
    expect(lab.effects.runs).toEqual(["probed_thing:slow"]);
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    gate.resolve();
    await lab.settle();
    expect(lab.effects.runs).toEqual(["probed_thing:slow"]);
    expect(lab.facts("result", "end")).toBe("result:success result:denied end:completed");
  });

  it("[T1] survives a crash right after it was stored", async () => {
    const lab = await waitingLab("one");
    lab.onPoint = (name) => {
      if (name === "commit:permissions:after") throw new Error("crash");
    };
    expect(() => lab.session.setPermissions({ mode: "BYPASS" }, "ann")).toThrow("crash");
    lab.onPoint = () => {};
    lab.again();
    lab.session.current();
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.facts("end")).toBe("end:completed");
  });
});

describe("a change of permissions while the model speaks", () => {
  /** A turn whose first step speaks and does not end; the model asks for a call once it goes on. */
  async function speaking() {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const listener = lab.listen();
    lab.say("t", [
      { text: "So far.", batches: 2, calls: [call("unsafe_thing", "one")] },
      { text: "ok" },
    ]);
    let passes = 0;
    lab.pause = () => (++passes > 2 ? gate.promise : Promise.resolve());
    await lab.settle();
    return { lab, gate, listener };
  }

  it("[A2, S1] holds at once, and its fact follows the step, so that no reader loses its place", async () => {
    const { lab, gate, listener } = await speaking();
    lab.session.setPermissions({ mode: "BYPASS" }, "ann");
    lab.session.setPermissions({ mode: "BYPASS", allow: [{ tool: "other" }] }, "bob");
    expect(lab.status().mode).toBe("BYPASS");
    expect(lab.story()).toBe("user");
    gate.resolve();
    await lab.settle();
    expect(lab.story()).toBe(
      "user step:tool-calls permissions permissions intent result:success step:stop end:completed",
    );
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    const replay = lab.listen();
    await lab.settle();
    const [seen, whole] = [listener, replay].map(({ frames }) => identified(frames()));
    expect(streamViolations(seen ?? [], whole ?? [])).toEqual([]);
    expect(lab.sql.all("SELECT name FROM state WHERE name = 'unsaid'")).toEqual([]);
  });

  it("[S1, S2] is said after the step was given up, when the object ends before it", async () => {
    const { lab, listener } = await speaking();
    lab.session.setPermissions({ mode: "BYPASS" }, "ann");
    lab.pause = () => Promise.resolve();
    lab.again();
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    await lab.settle();
    expect(lab.session.permissions().session.mode).toBe("EXPLORE");
    expect(lab.story()).toMatch(/^user reset:2 permissions permissions step:tool-calls /);
    expect(lab.effects.runs).toEqual([]);
    const rest = lab.listen({ after: identified(listener.frames()).at(-1)?.id ?? "" });
    const replay = lab.listen();
    await lab.settle();
    const seen = [...identified(listener.frames()), ...identified(rest.frames())];
    expect(streamViolations(seen, identified(replay.frames()))).toEqual([]);
  });

  it("[S1] is said when that attempt fails, before the next one is seen", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const listener = lab.listen();
    lab.say("t", [{ text: "One.", batches: 2, fail: "unavailable", failTimes: 1 }]);
    let passes = 0;
    lab.pause = () => (++passes === 3 ? gate.promise : Promise.resolve());
    await lab.settle();
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    gate.resolve();
    await lab.settle();
    lab.session.setPermissions({ mode: "DEFAULT" }, "ann");
    await lab.clock.pass(60_000);
    expect(lab.facts("reset", "permissions", "step", "end")).toBe(
      "reset permissions step end:completed permissions",
    );
    const replay = lab.listen();
    await lab.settle();
    const [seen, whole] = [listener, replay].map(({ frames }) => identified(frames()));
    expect(streamViolations(seen ?? [], whole ?? [])).toEqual([]);
  });

  it("[S2] is not taken back when the attempt fails and the turn is stopped before the next one", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const listener = lab.listen();
    lab.say("t", [{ text: "One.", batches: 2, fail: "unavailable", failTimes: 1 }]);
    let passes = 0;
    lab.pause = () => (++passes === 3 ? gate.promise : Promise.resolve());
    await lab.settle();
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    gate.resolve();
    await lab.settle();
    lab.session.stop();
    await lab.settle();
    expect(lab.facts("reset", "permissions", "end")).toMatch(/^reset permissions .*end:stopped$/);
    const replay = lab.listen();
    await lab.settle();
    const [seen, whole] = [listener, replay].map(({ frames }) => identified(frames()));
    expect(streamViolations(seen ?? [], whole ?? [])).toEqual([]);
    expect(whole?.filter(({ event }) => event.type === "permissions")).toHaveLength(1);
  });

  it("[T2] however large and often, lets the step end, and the newest is said", async () => {
    const { lab, gate } = await speaking();
    refuseLargeRows(lab.sql);
    const argument = { name: "漢".repeat(512), value: "\u0001".repeat(512) };
    const longest = (letter: string) =>
      Array.from({ length: 100 }, (_, no) => ({ tool: `${no}`.padEnd(512, letter), argument }));
    for (const letter of ["漢", "字", "語"]) {
      const rules = longest(letter);
      lab.session.setPermissions({ allow: rules, ask: rules, deny: rules }, "ann");
    }
    gate.resolve();
    await lab.settle();
    const { session } = lab.session.permissions();
    expect(session.deny[0]?.tool).toContain("語");
    expect(lab.entries().findLast(({ kind }) => kind === "permissions")).toMatchObject(session);
    expect(lab.facts("step", "permissions", "asked")).toBe("step permissions asked");
  });

  it("[T9] is said when the turn is stopped", async () => {
    const { lab } = await speaking();
    lab.session.setPermissions({ mode: "BYPASS" }, "ann");
    lab.session.stop();
    expect(lab.story()).toBe("user step:stopped end:stopped permissions");
  });
});
