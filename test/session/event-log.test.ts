import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { EventLog } from "../../src/session/event-log.ts";
import { Journal } from "../../src/session/journal.ts";
import { LiveStep, partsOf } from "../../src/session/live-step.ts";
import { parseCursor, START, type Cursor, type IdentifiedEvent } from "../../src/shared/events.ts";
import { replayViolations, streamViolations } from "../support/stream-invariants.ts";
import { journals, sometimes } from "./arbitraries.ts";
import { append, bigResult, emptyTables, journalOf } from "./journal-fixture.ts";

/** All events after `cursor`, as a reader takes them who asks until nothing comes. */
function readAll(log: EventLog, cursor: Cursor = START, budget = 10_000): IdentifiedEvent[] {
  const events: IdentifiedEvent[] = [];
  for (let at = cursor; ;) {
    const page = log.read(at, budget);
    if (page.events.length === 0) return events;
    events.push(...page.events);
    at = page.cursor;
  }
}

const logOf = (entries: readonly JournalEntry[]) => new EventLog(journalOf(entries), () => null);

const cursorOf = (id: string | undefined): Cursor => parseCursor(id ?? "") ?? START;

/** Events as text, in which it does not show where texts were cut. */
const textOf = (events: readonly IdentifiedEvent[]): string =>
  events.map(({ event }) => ("text" in event ? event.text : `<${JSON.stringify(event)}>`)).join("");

const user: JournalEntry = { seq: 1, turn: "t", at: 0, kind: "user", content: [] };
const usage = { input: 0, output: 0, cached: 0 };
const end = (seq: number): JournalEntry => ({
  seq,
  turn: "t",
  at: 0,
  kind: "end",
  outcome: "completed",
  usage,
  steps: 1,
});

describe("the event log", () => {
  it("[S1] gives exactly the rest from each of its ids on, in pages of any size", () => {
    fc.assert(
      fc.property(journals, fc.integer({ min: 1, max: 300 }), fc.nat(), (entries, budget, pick) => {
        const replay = readAll(logOf(entries));
        const at = pick % (replay.length + 1);
        const rest = readAll(logOf(entries), cursorOf(replay[at - 1]?.id), budget);
        expect(textOf(rest)).toBe(textOf(replay.slice(at)));
        expect(streamViolations([...replay.slice(0, at), ...rest], replay)).toEqual([]);
      }),
      sometimes,
    );
  });

  it("[S4] has each turn's events in one run from its start to its end, with rising ids", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        const isOpen = entries.at(-1)?.kind !== "end";
        const found = replayViolations(readAll(logOf(entries)));
        expect(found).toEqual(isOpen ? [expect.stringContaining("no terminal event")] : []);
      }),
      sometimes,
    );
  });

  it("has the id of its newest event as its last", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        const log = logOf(entries);
        const rest = readAll(log, cursorOf(log.last()));
        expect(rest).toEqual([]);
        const silent = entries.at(-1)?.kind === "intent";
        if (!silent) expect(readAll(log).at(-1)?.id).toBe(log.last());
      }),
      sometimes,
    );
  });

  it("[S1] goes on after an entry that fills a page alone", () => {
    const entries = [user, bigResult(2, 100_000), bigResult(3, 200_000), end(4)];
    const replay = readAll(logOf(entries));
    expect(replay.map(({ id }) => id)).toEqual(["1.0", "2.0", "3.0", "4.0"]);
    for (const [index, { id }] of replay.entries())
      expect(readAll(logOf(entries), cursorOf(id))).toEqual(replay.slice(index + 1));
  });

  it("[S1] goes on after a long run of entries that have no event", () => {
    const silent = Array.from({ length: 1_200 }, (_, index): JournalEntry => {
      const seq = index + 2;
      return { seq, turn: "t", at: 0, kind: "intent", call: `c${seq}`, name: "tool" };
    });
    const ids = readAll(logOf([user, ...silent, end(2_000)])).map(({ id }) => id);
    expect(ids).toEqual(["1.0", "2000.0"]);
  });

  it("cuts a long step into events of at most 10,000 characters and pages of about as many", () => {
    const text = "x".repeat(500_000);
    const step: JournalEntry = {
      seq: 2,
      turn: "t",
      at: 0,
      kind: "step",
      step: 1,
      model: "m",
      finish: "stop",
      usage,
      parts: [{ type: "text", text }],
    };
    const log = logOf([user, step, end(3)]);
    let at: Cursor = START;
    let said = "";
    for (let page = log.read(at, 10_000); page.events.length > 0; page = log.read(at, 10_000)) {
      const size = page.events.reduce(
        (sum, { event }) => sum + ("text" in event ? event.text.length : 0),
        0,
      );
      expect(size).toBeLessThanOrEqual(10_000);
      said += page.events.map(({ event }) => ("text" in event ? event.text : "")).join("");
      at = page.cursor;
    }
    expect(said === text).toBe(true);
  });
});

describe("the live step in the log", () => {
  const start = (live: LiveStep | null = null) => {
    const sql = emptyTables();
    const journal = new Journal(sql);
    append(sql, journal, [user]);
    const state = { live };
    return { sql, journal, state, log: new EventLog(journal, () => state.live) };
  };
  const newLive = (seq: number) => new LiveStep({ seq, turn: "t", step: 1, model: "m" });

  it("[S1] follows what is journaled, grows, and stays the same when it is journaled itself", () => {
    const live = newLive(2);
    const { sql, journal, state, log } = start(live);
    const seen = readAll(log);
    const listen = () => seen.push(...readAll(log, cursorOf(seen.at(-1)?.id)));
    live.say("text", "Hello");
    listen();
    live.say("text", " world");
    listen();
    const inTheMiddle = seen.at(-2)?.id;
    live.close();
    const { step, model } = live;
    append(sql, journal, [
      {
        seq: 2,
        turn: "t",
        at: 0,
        kind: "step",
        finish: "stop",
        usage,
        step,
        model,
        parts: partsOf(live),
      },
      end(3),
    ]);
    state.live = null;
    listen();
    const replay = readAll(new EventLog(new Journal(sql), () => null));
    expect(streamViolations(seen, replay)).toEqual([]);
    expect(textOf(seen)).toBe(textOf(replay));
    expect(textOf(readAll(log, cursorOf(inTheMiddle)))).toMatch(/^ world<.*text-end/);
  });

  it("[S2] of an attempt that was given up is taken back by a reset, wherever the reader was in it", () => {
    const { sql, journal, state, log } = start(newLive(2));
    state.live?.say("text", "wrong");
    const seen = readAll(log);
    append(sql, journal, [
      { seq: 3, turn: "t", at: 0, kind: "reset", attempt: 2, reason: "interrupted" },
    ]);
    state.live = newLive(4);
    state.live.say("text", "right");
    const next = readAll(log, cursorOf(seen.at(-1)?.id));
    expect(next[0]?.event).toMatchObject({ type: "step-reset", to: "2.0" });
    expect(next.map(({ event }) => event.type).slice(1)).toEqual([
      "step-start",
      "text-start",
      "text",
    ]);
    expect(readAll(log, { seq: 2, offset: 3 })).toEqual(next);
  });

  it("[S1] is not shown to a reader who is beyond it: an object that was replaced must not go back", () => {
    const { sql, state, log } = start(newLive(2));
    state.live?.say("text", "old");
    const other = new Journal(sql);
    append(sql, other, [
      { seq: 3, turn: "t", at: 0, kind: "reset", attempt: 2, reason: "interrupted" },
    ]);
    expect(readAll(log, { seq: 3, offset: 0 })).toEqual([]);
  });
});
