import { describe, expect, it } from "vitest";
import { compactionText } from "../../public/compaction.js";
import { whenOf } from "../../public/dates.js";
import {
  addressOf,
  conversationOf,
  fileName,
  newestFirst,
  placeName,
} from "../../public/memory/sources.js";
import {
  figuresOf,
  forgottenText,
  foundText,
  fullnessOf,
  isUndoable,
  pendingText,
  runText,
  sectionsOf,
  shortOf,
  undoneText,
} from "../../public/memory/words.js";
import { placeInTime } from "../../public/time-zone.js";
import type { RunSummary } from "../../src/shared/memory-api.ts";

const entry = (id: string, section: string) => ({
  id,
  section,
  text: `Text of ${id}`,
  line: 1,
  sources: [],
  run: null,
});

const run = (more: Partial<RunSummary> = {}): RunSummary => ({
  run: "r",
  state: "applied",
  why: null,
  kept: 0,
  changed: 0,
  added: 0,
  dropped: 0,
  refused: 0,
  at: 0,
  path: "r.md",
  undone: false,
  ...more,
});

describe("a time", () => {
  // In the zone of the reader, so that it holds wherever this runs.
  const at = (month: number, day: number, hour = 0, minute = 0) =>
    new Date(2031, month - 1, day, hour, minute, 1).getTime();
  const now = at(5, 10, 15, 30);

  it("is said as one would say it", () => {
    expect(
      [now - 30_000, now + 30_000, at(5, 10, 15, 29), at(5, 10, 13, 2), at(5, 10, 0, 1)].map(
        (then) => whenOf(then, now),
      ),
    ).toEqual(["just now", "just now", "1 minute ago", "2 hours ago", "15 hours ago"]);
    expect(
      [at(5, 9, 23, 59), at(5, 8, 1), at(5, 4, 12), at(5, 3, 12), at(1, 1, 12)].map((then) =>
        whenOf(then, now),
      ),
    ).toEqual(["yesterday", "2 days ago", "6 days ago", "Sat 3 May", "Wed 1 Jan"]);
    expect(whenOf(new Date(2030, 11, 31, 12, 0, 1).getTime(), now)).toBe("31 Dec 2030");
    expect(whenOf(at(5, 12, 12), now)).toBe("Mon 12 May");
  });

  it("that is a whole day is that day everywhere", () => {
    expect(whenOf(Date.UTC(2031, 4, 10), now)).toBe("today");
    expect(whenOf(Date.UTC(2031, 4, 9), now)).toBe("yesterday");
    expect(whenOf(Date.UTC(2031, 3, 1), now)).toBe("Tue 1 Apr");
    expect(whenOf(Date.UTC(2030, 3, 1), now)).toBe("1 Apr 2030");
  });
});

describe("a source", () => {
  const titles = new Map([
    ["s1", "Tea"],
    ["s2", ""],
  ]);
  const known = { current: "s3", titles, isWhole: false };

  it("[M7] is a conversation of this person's with this agent, or is named without a link", () => {
    expect(
      ["main/s1", "s2", "main/s3", "main/s4", "other/s1", "main/no such/name"].map((address) =>
        conversationOf(address, known, "main"),
      ),
    ).toEqual([
      { session: "s1", name: "“Tea”" },
      { session: "s2", name: "a conversation" },
      { session: "s3", name: "this conversation" },
      { session: "s4", name: "an earlier conversation" },
      { session: null, name: "a conversation with “other”" },
      { session: null, name: "a conversation that is not in your list" },
    ]);
    expect(conversationOf("main/s4", { ...known, isWhole: true }, "main").session).toBeNull();
  });

  it("[M7] of a log is the conversation with the agent whose log it is", () => {
    const hit = { path: "agents/other/sessions/s1.log.jsonl", said: { session: "s1" } };
    expect(addressOf(hit)).toBe("other/s1");
    expect(addressOf({ ...hit, path: "elsewhere" })).toBe("s1");
  });

  it("that is a file is called what it is", () => {
    const now = new Date(2031, 4, 10, 12).getTime();
    expect(
      ["memory/2031-05-09.md", "memory/2031-05-08.md", "memory/2031-04-01.md"].map((path) =>
        fileName(path, now),
      ),
    ).toEqual(["notes, yesterday", "notes, 2 days ago", "notes of Tue 1 Apr"]);
    expect(fileName("memory/archive/2030-04-01.md", now)).toBe("archived notes of 1 Apr 2030");
    expect(fileName("memory/2031-99-99.md", now)).toBe("memory/2031-99-99.md");
    expect(placeName({ path: "MEMORY.md", line: 4 }, now)).toBe("MEMORY.md, line 4");
    expect(placeName({ path: "MEMORY.md", line: null }, now)).toBe("MEMORY.md");
  });

  it("comes before older ones and those of no known time", () => {
    const sources = [1, null, 3, null, 2].map((at, index) => ({ at, index }));
    expect(newestFirst(sources).map(({ index }) => index)).toEqual([2, 4, 0, 1, 3]);
  });
});

describe("the memory in words", () => {
  it("groups entries by their headings, in the order of the file", () => {
    const entries = [entry("a", ""), entry("b", "Work"), entry("c", "Home"), entry("d", "Work")];
    expect(
      sectionsOf(entries).map(({ title, entries: of }) => [title, of.map(({ id }) => id)]),
    ).toEqual([
      ["", ["a"]],
      ["Work", ["b", "d"]],
      ["Home", ["c"]],
    ]);
  });

  it("says how full it is and what waits", () => {
    expect(
      [0, 1, 1_240, 7_999, 8_000].map((tokens) => fullnessOf({ tokens, maxTokens: 8_000 })),
    ).toEqual(["0% full", "Less than 1% full", "15% full", "99% full", "100% full"]);
    expect(fullnessOf({ tokens: 8_001, maxTokens: 8_000 })).toContain("the oldest is left out");
    expect(fullnessOf({ tokens: 0, maxTokens: 0 })).toBe("0% full");
    expect(figuresOf({ tokens: 1_240, maxTokens: 8_000 })).toBe("1,240 of 8,000 tokens");
    expect([0, 1, 2].map(pendingText)).toEqual([
      "",
      "1 new note waits for the next tidy-up",
      "2 new notes wait for the next tidy-up",
    ]);
  });

  it("says what a run did, and offers to take back only what there is", () => {
    const did = run({ kept: 1_200, changed: 1, added: 2, dropped: 3, refused: 1 });
    expect(runText(did)).toBe("1,200 kept, 1 changed, 2 added, 3 dropped, 1 refused.");
    expect(runText({ ...did, undone: true })).toContain("1 refused. Taken back.");
    expect(runText(run())).toBe("Nothing to do.");
    expect(runText(run({ state: "refused", refused: 4 }))).toContain("Nothing was changed.");
    expect(runText(run({ state: "lost" }))).toContain("Did not finish.");
    const undoable = [
      did,
      { ...did, undone: true },
      run({ kept: 3 }),
      run({ state: "lost", added: 1 }),
    ];
    expect(undoable.map(isUndoable)).toEqual([true, false, false, false]);
  });

  it("[M7] says what was taken back, and what was left and why", () => {
    const shown = [entry("a", "")];
    const why = "it was changed since.";
    expect(undoneText({ restored: 2, refused: [] }, shown)).toBe("Taken back: 2 changes.");
    expect(undoneText({ restored: 0, refused: [{ id: "a", why }] }, shown)).toBe(
      "Nothing was taken back. “Text of a” was left: it was changed since.",
    );
    const many = ["a", "b", "c", "d", "e"].map((id) => ({ id, why }));
    expect(undoneText({ restored: 1, refused: many }, shown)).toMatch(/ 2 more were left\.$/);
  });

  it("says what was forgotten and found", () => {
    expect(forgottenText({ entries: 0, paths: [] })).toBe("It was gone already.");
    expect(forgottenText({ entries: 1, paths: ["MEMORY.md"] })).toBe(
      "Forgotten: it is gone from 1 file.",
    );
    expect(forgottenText({ entries: 1, paths: ["a", "b"], messages: 2 })).toBe(
      "Forgotten: it is gone from 2 files. Search no longer finds the 2 messages that told of it; they stay in the conversation.",
    );
    const none = { hits: [], isComplete: true, pending: 0 };
    expect(foundText(none, "tea")).toBe("Nothing found for “tea”.");
    expect(foundText({ ...none, isComplete: false }, "tea")).toBe(
      "Nothing found for “tea”. Not all is searched yet. Try again in a moment.",
    );
  });

  it("cuts a long text between words, never inside a character", () => {
    expect(shortOf("  one\n two  ")).toBe("one two");
    expect(shortOf(`${"word ".repeat(20)}`)).toMatch(/^(word )+word…$/);
    expect(shortOf(`x${"😀".repeat(60)}`).isWellFormed()).toBe(true);
  });
});

describe("the time zone of a message", () => {
  it("is the browser's when that is one, and left out otherwise", () => {
    expect(placeInTime("Europe/Berlin")).toEqual({ timeZone: "Europe/Berlin" });
    for (const zone of ["Etc/Unknown", "Nowhere/Land", "", "+02:00", "<script>"])
      expect(placeInTime(zone)).toEqual({});
  });
});

describe("a context that was made shorter", () => {
  it("[S7] is told with its figures, and why it was not", () => {
    const before = { messages: 1_052, tokens: 41_499 };
    const after = { messages: 14, tokens: 940 };
    expect(compactionText({ how: "summary", before, after })).toBe(
      "Earlier messages were summarised for the agent: 1,052 → 14 messages, about 41k → 940 tokens.",
    );
    expect(compactionText({ how: "cut", before, after, why: "No summary came." })).toMatch(
      /about 41k → 940 tokens \(No summary came\)\.$/,
    );
    expect(compactionText({ how: "failed", before, after: before })).toBe(
      "Earlier messages could not be summarised for the agent.",
    );
  });
});
