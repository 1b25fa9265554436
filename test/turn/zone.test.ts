import { describe, expect, it } from "vitest";
import { readState } from "../../src/session/state-documents.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { currentTime } from "../../src/tools/current-time.ts";
import { createSessionIndex } from "../../src/turn/records/session-index.ts";
import type { LabOptions } from "./session-lab.ts";
import { SessionLab } from "./session-lab.ts";

/** The evening of November 30 in UTC, when it is December in Berlin. */
const EVENING = Date.UTC(2026, 10, 30, 23, 30);

async function eveningLab(options: LabOptions = {}): Promise<SessionLab> {
  const lab = new SessionLab({ tools: [currentTime], ...options });
  await lab.clock.pass(EVENING);
  return lab;
}

async function say(lab: SessionLab, key: string, timeZone?: string, text = "hi"): Promise<void> {
  const input = { kind: "message", content: [{ type: "text", text }] } as const;
  const zone = timeZone === undefined ? {} : { timeZone };
  lab.session.accept({ key, digest: key, input, ...zone });
  await lab.session.whenRegistered();
  await lab.settle();
}

const dates = (lab: SessionLab) =>
  lab.witness.requests.map(({ system }) => /Today's date: (.*)/.exec(system)?.[1]);

const stored = (lab: SessionLab) => readState(sessionTables(lab.sql), "zone");

describe("a session's time zone", () => {
  it("[C1] is UTC where nothing tells another", async () => {
    const lab = await eveningLab();
    await say(lab, "a");
    expect(dates(lab)).toEqual(["Mon, Nov 30, 2026 (UTC)"]);
    expect(stored(lab)).toBeNull();
  });

  it("[C1, C3] is the one that a message tells, from that turn on, with the same bytes all day", async () => {
    const lab = await eveningLab();
    await say(lab, "a", "Europe/Berlin");
    await lab.clock.pass(20 * 3_600_000);
    await say(lab, "b");
    lab.restart();
    await say(lab, "c", "Europe/Berlin");
    const day = "Tue, Dec 1, 2026 (Europe/Berlin)";
    expect(dates(lab)).toEqual([day, day, day]);
    const [first, ...others] = lab.witness.requests.map(({ system }) => system);
    expect(others).toEqual([first, first]);
    await say(lab, "d", "America/Lima");
    expect(dates(lab).at(-1)).toBe("Tue, Dec 1, 2026 (America/Lima)");
    expect(stored(lab)).toEqual({ zone: "America/Lima", from: "message" });
  });

  it("[T12] is stored with the message, and only when it is another one", async () => {
    const lab = await eveningLab();
    const written = () => lab.sql.all<{ n: number }>("SELECT total_changes() AS n")[0]?.n ?? 0;
    const costOf = async (key: string, timeZone?: string) => {
      const before = written();
      await say(lab, key, timeZone);
      return written() - before;
    };
    await costOf("a", "Europe/Berlin");
    const plain = await costOf("b");
    expect(await costOf("c", "Europe/Berlin")).toBe(plain);
    expect(await costOf("d", "Asia/Tokyo")).toBe(plain + 1);
  });

  it("[T3] is not changed by a message that was accepted before, nor by one that is refused", async () => {
    const lab = await eveningLab();
    await say(lab, "a", "Europe/Berlin");
    await say(lab, "a", "Asia/Tokyo");
    const input = { kind: "message", content: [{ type: "text", text: "x" }] } as const;
    const other = { key: "a", digest: "other", input, timeZone: "Asia/Tokyo" };
    expect(() => lab.session.accept(other)).toThrow("already used");
    expect(stored(lab)).toEqual({ zone: "Europe/Berlin", from: "message" });
    await say(lab, "b");
    expect(dates(lab).at(-1)).toContain("(Europe/Berlin)");
  });

  it("is the user's setting, at most one turn late, unless a message tells another", async () => {
    const index = createSessionIndex(async () => lab.settings);
    const lab = await eveningLab({ capabilities: [index] });
    lab.settings = { timeZone: "Europe/Berlin" };
    await say(lab, "a");
    await say(lab, "b");
    expect(dates(lab)[1]).toBe("Tue, Dec 1, 2026 (Europe/Berlin)");
    lab.settings = { timeZone: "Asia/Tokyo" };
    await lab.clock.pass(2_000);
    lab.restart();
    await say(lab, "c");
    expect(dates(lab)[2]).toBe("Tue, Dec 1, 2026 (Asia/Tokyo)");
    lab.settings = { timeZone: null };
    await lab.clock.pass(2_000);
    await say(lab, "d");
    expect(dates(lab)[3]).toBe("Mon, Nov 30, 2026 (UTC)");
    await say(lab, "e", "America/Lima");
    lab.settings = { timeZone: "Asia/Tokyo" };
    await lab.clock.pass(2_000);
    await say(lab, "f");
    expect(dates(lab)[5]).toBe("Mon, Nov 30, 2026 (America/Lima)");
    expect(lab.log).toEqual([]);
  });

  it("[C1] is the user's setting in a session's first turn, which waits for it two seconds at most", async () => {
    const lab = await eveningLab();
    lab.settings = { timeZone: "Europe/Berlin" };
    const gate = Promise.withResolvers<void>();
    lab.register = () => gate.promise;
    lab.say("a", "hi");
    await lab.clock.pass(1_999);
    expect(dates(lab)).toEqual([]);
    gate.resolve();
    await lab.settle();
    expect(dates(lab)).toEqual(["Tue, Dec 1, 2026 (Europe/Berlin)"]);
    expect(lab.clock.sleeping).toBe(0);

    const slow = await eveningLab();
    slow.register = () => new Promise(() => {});
    slow.say("a", "hi");
    slow.say("b", "hi");
    await slow.clock.pass(2_000);
    // Both at once: only the first turn has waited.
    expect(dates(slow)).toEqual(Array(2).fill("Mon, Nov 30, 2026 (UTC)"));
  });

  it("[T9] is waited for no longer once the turn is stopped", async () => {
    const lab = await eveningLab();
    lab.register = () => new Promise(() => {});
    lab.say("a", "hi");
    await lab.settle();
    lab.session.stop();
    await lab.settle();
    expect(lab.story("a")).toMatch(/end:stopped$/);
    expect([lab.clock.sleeping, lab.witness.requests.length]).toEqual([0, 0]);
  });

  it("is not taken from a registry that gives none that is one", async () => {
    const lab = await eveningLab();
    lab.settings = { timeZone: "Mars/Olympus" };
    await say(lab, "a");
    await say(lab, "b");
    expect(dates(lab)).toEqual(Array(2).fill("Mon, Nov 30, 2026 (UTC)"));
    expect(stored(lab)).toBeNull();
  });

  it("is what current_time goes by", async () => {
    const lab = await eveningLab();
    const asking = JSON.stringify([
      { calls: [{ name: "current_time", input: "{}" }] },
      { text: "ok" },
    ]);
    await say(lab, "a", "Europe/Berlin", asking);
    expect(lab.entries().find(({ kind }) => kind === "result")).toMatchObject({
      content: [{ text: "2026-12-01T00:30:00+01:00 (Tuesday, Europe/Berlin)" }],
    });
  });
});
