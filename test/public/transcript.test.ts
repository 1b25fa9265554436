import { describe, expect, it } from "vitest";
import {
  EMPTY,
  answerText,
  compareCursors,
  isBusy,
  withAccepted,
} from "../../public/transcript.js";
import type { SessionEvent } from "../../src/shared/events.ts";
import { at, end, parts, play, say, spoken, start, step, tool } from "./told.ts";

describe("a turn told by its events", () => {
  it("shows what was said in order, with the result at its call", () => {
    const transcript = play(tool);
    expect(spoken(transcript)).toEqual(["hmm", "I look", 'read_file({"p":1})', "found"]);
    expect(parts(transcript)[2]).toMatchObject({
      isOpen: false,
      result: { status: "success", content: say("body") },
    });
    expect(transcript.turns[0]).toMatchObject({
      id: "t",
      state: "completed",
      content: say("ask t"),
    });
    expect(isBusy(transcript)).toBe(false);
    expect(transcript.turns[0] && answerText(transcript.turns[0])).toBe("I look\n\nfound");
  });

  it("is the same when any of its events come again", () => {
    const whole = play(tool);
    for (let cut = 1; cut <= tool.length; cut++) {
      for (let from = 0; from < cut; from++) {
        expect(play([...tool.slice(0, cut), ...tool.slice(from)])).toEqual(whole);
      }
    }
  });

  it("goes on from the middle of a step after a reconnect", () => {
    for (let cut = 0; cut <= tool.length; cut++) {
      const status = at("", {
        type: "status",
        pending: [],
        mode: "DEFAULT" as const,
        turns: [{ turn: "t", state: "running", start: "0.0" }],
        last: "2.24",
      });
      expect(spoken(play([...tool.slice(0, cut), status, ...tool.slice(cut)]))).toEqual(
        spoken(play(tool)),
      );
    }
  });

  it("leaves what it does not change as the same object, so that only the new part is drawn again", () => {
    const before = play(tool.slice(0, 11));
    const after = play(tool.slice(11, 12), before);
    expect(parts(after)[1]).toBe(parts(before)[1]);
    expect(parts(after)[2]).not.toBe(parts(before)[2]);
  });

  it("keeps the error of a turn that failed", () => {
    const failed = at("5.0", {
      ...(end("t", 5, "failed").event as Extract<SessionEvent, { type: "turn-end" }>),
      error: { code: "unavailable", message: "The model did not answer." },
    });
    expect(play([...tool.slice(0, 9), failed]).turns[0]).toMatchObject({
      state: "failed",
      error: { code: "unavailable" },
    });
  });
});

describe("[S2] a reset", () => {
  it("takes back the attempt it names and nothing before it", () => {
    const reset = at("5.0", { type: "step-reset", turn: "t", to: "4.0", reason: "interrupted" });
    const again = [
      reset,
      step("t", 6, 2),
      at("6.1", { type: "text-start" }),
      at("6.3", { type: "text", text: "ok" }),
    ];
    const halfway = play(tool.slice(0, 18));
    expect(spoken(halfway).at(-1)).toBe("found");
    expect(spoken(play([reset], halfway))).toEqual(["hmm", "I look", 'read_file({"p":1})']);
    expect(spoken(play(again, halfway))).toEqual(["hmm", "I look", 'read_file({"p":1})', "ok"]);
  });

  it("takes back a first step, and can come twice", () => {
    const reset = (id: string, to: string) =>
      at(id, { type: "step-reset", turn: "t", to, reason: "retry" });
    const transcript = play([
      ...tool.slice(0, 8),
      reset("3.0", "2.0"),
      step("t", 4),
      reset("5.0", "4.0"),
    ]);
    expect(transcript.turns[0]).toMatchObject({ state: "running", steps: [] });
  });
});

describe("files that a message names", () => {
  it("change nothing of what is shown", () => {
    const before = play([start("t", 1)]);
    const files = [{ path: "a.md", bytes: 3 }];
    const after = play([at("3.0", { type: "attached", turn: "t", files })], before);
    expect(after).toEqual({ ...before, last: "3.0" });
  });
});

describe("several turns", () => {
  it("puts a regenerated answer in the place of the one it replaces", () => {
    const transcript = play([...tool, start("u", 6, { replaces: "t" }), step("u", 7), end("u", 8)]);
    expect(transcript.turns.map((turn) => turn.id)).toEqual(["u"]);
  });

  it("keeps messages that still wait behind the turn that starts", () => {
    const waiting = withAccepted(withAccepted(play([start("a", 1)]), "b", say("b")), "c", say("c"));
    const transcript = play([end("a", 2), start("x", 3), end("x", 4), start("b", 5)], waiting);
    expect(transcript.turns.map((turn) => [turn.id, turn.state])).toEqual([
      ["a", "completed"],
      ["x", "completed"],
      ["b", "running"],
      ["c", "queued"],
    ]);
  });

  it("does not show a message twice whichever comes first, the answer to its POST or its events", () => {
    expect(play([start("a", 1)], withAccepted(EMPTY, "a", say("a"))).turns).toHaveLength(1);
    expect(withAccepted(play([start("a", 1)]), "a", say("a")).turns).toMatchObject([
      { id: "a", state: "running" },
    ]);
  });

  it("takes the state of unfinished turns from the status", () => {
    const status = at("", {
      type: "status",
      pending: [],
      mode: "DEFAULT" as const,
      turns: [{ turn: "a", state: "waiting", start: "0.0" }],
      last: "1.0",
    });
    expect(play([start("a", 1), status]).turns[0]?.state).toBe("waiting");
    expect(play([start("a", 1), end("a", 2), status]).turns[0]?.state).toBe("completed");
  });
});

describe("cursors", () => {
  it("are ordered by number, not by text", () => {
    const ids = ["10.0", "9.10", "9.9", "2.0"];
    expect(ids.toSorted(compareCursors)).toEqual(["2.0", "9.9", "9.10", "10.0"]);
  });
});

describe("a context that was made shorter", () => {
  const compacted: SessionEvent = {
    type: "compacted",
    how: "summary",
    before: { messages: 52, tokens: 41_000 },
    after: { messages: 14, tokens: 9_000 },
    at: 1,
  };
  const kinds = (transcript: ReturnType<typeof play>) =>
    transcript.turns.map((turn) =>
      turn.steps.flatMap((each) => each.parts.map(({ kind }) => kind)),
    );

  it("[S7] is told in the turn that was taken up last, where it happened, and not in one that waits", () => {
    const first = play([start("a", 1), at("2.0", compacted), step("a", 3)]);
    const next = play([at("3.1", { type: "text-start" }), end("a", 4)], first);
    expect(kinds(next)).toEqual([["compacted", "text"]]);
    const waiting = withAccepted(next, "b", say("later"));
    expect(kinds(play([at("5.0", compacted)], waiting))).toEqual([
      ["compacted", "text", "compacted"],
      [],
    ]);
    expect(play([at("1.0", compacted)]).turns).toEqual([]);
    expect(isBusy(next)).toBe(false);
  });

  it("[S7] stays told when the attempt during which it happened is given up", () => {
    const events = [
      start("a", 1),
      step("a", 2),
      at("3.0", compacted),
      at("3.1", { type: "text-start" }),
      at("3.2", { type: "text", text: "x" }),
    ];
    const reset = at("4.0", { type: "step-reset", turn: "a", to: "2.0", reason: "retry" });
    expect(kinds(play([...events, reset, step("a", 5)]))).toEqual([["compacted"]]);
  });
});
