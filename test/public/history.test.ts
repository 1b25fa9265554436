import { describe, expect, it } from "vitest";
import { tailFrom, withHistory } from "../../public/history.js";
import { EMPTY } from "../../public/transcript.js";
import type { HistoryMessage, HistoryPage } from "../../src/shared/session-api.ts";
import { parts, play, say, spoken, tool } from "./told.ts";

const page = (messages: HistoryMessage[], more: Partial<HistoryPage> = {}): HistoryPage => ({
  title: "",
  session: "s",
  status: { type: "status", pending: [], mode: "DEFAULT" as const, turns: [], last: "9.0" },
  messages,
  before: null,
  ...more,
});
const asked = (turn: string): HistoryMessage => ({
  id: turn,
  role: "user",
  turn,
  at: 1,
  content: say(`ask ${turn}`),
});
const answered = (turn: string, text: string): HistoryMessage => ({
  id: `${turn}.reply`,
  role: "assistant",
  turn,
  at: 2,
  state: "completed",
  parts: [{ type: "text", text }],
});

describe("the history", () => {
  it("gives turns with their answers", () => {
    const message: HistoryMessage = {
      id: "a.reply",
      role: "assistant",
      turn: "a",
      at: 2,
      state: "failed",
      error: { code: "stalled", message: "It stalled." },
      parts: [
        { type: "reasoning", text: "why" },
        {
          type: "tool",
          call: "c",
          name: "grep",
          input: "{}",
          result: { status: "error", content: say("no") },
        },
        { type: "tool", call: "d", name: "grep", input: "{}" },
      ],
    };
    const transcript = withHistory(EMPTY, page([asked("a"), message]));
    expect(transcript.turns).toMatchObject([
      { id: "a", content: say("ask a"), state: "failed", error: { code: "stalled" } },
    ]);
    expect(parts(transcript)).toMatchObject([
      { kind: "reasoning" },
      { result: { status: "error" } },
      { result: null },
    ]);
  });

  it("is replaced by the events of a turn, in its place", () => {
    const loaded = withHistory(
      EMPTY,
      page([asked("s"), answered("s", "old"), asked("t"), answered("t", "half")]),
    );
    const transcript = play(tool, { ...loaded, last: "0.0" });
    expect(transcript.turns.map((turn) => turn.id)).toEqual(["s", "t"]);
    expect(spoken(transcript)).toEqual(spoken(play(tool)));
  });

  it("puts older pages before newer ones and joins a turn that two pages share", () => {
    const newer = withHistory(
      EMPTY,
      page([answered("b", "B"), asked("c"), answered("c", "C")], { before: 4 }),
    );
    expect(newer.before).toBe(4);
    const all = withHistory(newer, page([asked("a"), answered("a", "A"), asked("b")]));
    expect(all.turns.map((turn) => [turn.id, turn.content?.[0], turn.steps.length])).toEqual(
      ["a", "b", "c"].map((id) => [id, say(`ask ${id}`)[0], 1]),
    );
    expect(all.before).toBeNull();
  });

  it("takes an unanswered message's state from the status", () => {
    const status: HistoryPage["status"] = {
      type: "status",
      pending: [],
      mode: "DEFAULT" as const,
      turns: [{ turn: "a", state: "queued", start: null }],
      last: "1.0",
    };
    expect(withHistory(EMPTY, page([asked("a")], { status })).turns[0]?.state).toBe("queued");
  });

  it("says where to read on: the end, or the start of the turn in progress", () => {
    const status = (turns: HistoryPage["status"]["turns"]) =>
      page([], {
        status: { type: "status", pending: [], mode: "DEFAULT" as const, turns, last: "9.3" },
      });
    const running = { turn: "t", state: "running", start: "7.0" } as const;
    const queued = { turn: "u", state: "queued", start: null } as const;
    expect(tailFrom(status([]))).toBe("9.3");
    expect(tailFrom(status([running, queued]))).toBe("7.0");
    expect(tailFrom(status([queued]))).toBe("9.3");
  });
});
