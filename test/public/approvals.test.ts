import { describe, expect, it } from "vitest";
import { withCalls } from "../../public/history.js";
import {
  EMPTY,
  hasMessage,
  isBusy,
  questionsOf,
  waitingTurn,
  withAccepted,
} from "../../public/transcript.js";
import { workOf } from "../../public/when-busy.js";
import type { CallAnswered, IdentifiedEvent, PendingCall } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import type { HistoryPage } from "../../src/shared/session-api.ts";
import { at, end, parts, play, say, spoken, start, status, step } from "./told.ts";

const pendingCall = (call: string, more: Partial<PendingCall> = {}): PendingCall => ({
  turn: "t",
  call,
  name: "shell",
  what: "approval",
  input: "{}",
  digest: `digest of ${call}`,
  reason: "It acts outside.",
  suggested: [],
  expiresAt: 9_000,
  ...more,
});
const asked = (id: string, call: string, more: Partial<PendingCall> = {}): IdentifiedEvent =>
  at(id, { type: "call-asked", at: 1, ...pendingCall(call, more) });
const answered = (
  id: string,
  call: string,
  answer: CallAnswered,
  more: { reason?: string; input?: string } = {},
): IdentifiedEvent =>
  at(id, { type: "call-answered", turn: "t", call, answer, by: "user:ann", at: 1, ...more });
const result = (id: string, call: string, status_: "success" | "denied"): IdentifiedEvent =>
  at(id, {
    type: "tool-result",
    turn: "t",
    call,
    name: "shell",
    status: status_,
    content: say("x"),
    at: 1,
  });

/** A turn with two calls, `a` and `b`, that both wait. */
const both: readonly IdentifiedEvent[] = [
  start("t", 1),
  step("t", 2),
  at("2.1", { type: "tool-call-start", call: "a", name: "shell" }),
  at("2.3", { type: "tool-call", text: "{}" }),
  at("2.4", { type: "tool-call-end" }),
  at("2.5", { type: "tool-call-start", call: "b", name: "shell" }),
  at("2.7", { type: "tool-call", text: "{}" }),
  at("2.8", { type: "tool-call-end" }),
  at("2.9", { type: "step-end", finish: "tool-calls", usage: noUsage }),
  asked("3.0", "a"),
  asked("4.0", "b"),
  at("5.0", {
    type: "turn-waiting",
    turn: "t",
    reply: "t.reply",
    calls: ["a", "b"],
    expiresAt: 9_000,
    at: 1,
  }),
];

const waiting = play(both);

describe("a call that waits for an answer", () => {
  it("has its question, and its turn waits", () => {
    expect(questionsOf(waiting).map(({ call, digest }) => [call, digest])).toEqual([
      ["a", "digest of a"],
      ["b", "digest of b"],
    ]);
    expect(waitingTurn(waiting)?.id).toBe("t");
    expect(isBusy(waiting)).toBe(true);
  });

  it("is the same when any of its events come again", () => {
    const events = [...both, answered("6.0", "a", "denied"), result("7.0", "a", "denied")];
    const whole = play(events);
    for (let cut = 1; cut <= events.length; cut++)
      for (let from = 0; from < cut; from++)
        expect(play([...events.slice(0, cut), ...events.slice(from)])).toEqual(whole);
  });

  it("asked anew, is the newer question", () => {
    const again = play([asked("6.0", "a", { digest: "another" })], waiting);
    expect(questionsOf(again)[0]?.digest).toBe("another");
    const afterwards = play(
      [answered("6.0", "a", "approved"), asked("7.0", "a", { digest: "another" })],
      waiting,
    );
    expect(parts(afterwards)[0]).toMatchObject({ question: { digest: "another" }, answer: null });
  });

  it("keeps what was answered, by whom, why, and with which arguments", () => {
    const approved = play([answered("6.0", "a", "approved", { input: '{"x":1}' })], waiting);
    expect(parts(approved)[0]).toMatchObject({
      question: null,
      answer: { answer: "approved", by: "user:ann", input: '{"x":1}' },
    });
    const denied = play([answered("6.0", "a", "denied", { reason: "no" })], waiting);
    expect(parts(denied)[0]).toMatchObject({ answer: { answer: "denied", reason: "no" } });
  });

  it.each([
    ["approved", "running"],
    ["denied", "waiting"],
    ["result", "waiting"],
    ["expired", "waiting"],
  ] as const)("answered as %s while another waits, leaves the turn %s", (answer, state) => {
    expect(play([answered("6.0", "a", answer)], waiting).turns[0]?.state).toBe(state);
  });

  it("answered as the last one, lets the turn go on, whatever the answer", () => {
    for (const answer of ["approved", "denied", "result", "expired"] as const) {
      const events = [answered("6.0", "a", "denied"), answered("7.0", "b", answer)];
      expect(play(events, waiting).turns[0]?.state).toBe("running");
    }
  });

  it("is no question any more once it has a result, or its turn ended", () => {
    expect(questionsOf(play([result("6.0", "a", "success")], waiting))).toHaveLength(1);
    const ended = play([end("t", 6, "stopped")], waiting);
    expect(questionsOf(ended)).toEqual([]);
    expect(parts(ended)).toMatchObject([{ question: null }, { question: null }]);
  });

  it("is taken back with the attempt that made it", () => {
    const reset = at("6.0", { type: "step-reset", turn: "t", to: "2.0", reason: "retry" });
    expect(questionsOf(play([reset], waiting))).toEqual([]);
  });

  it("is as the history says after somebody else was faster", () => {
    const page: HistoryPage = {
      session: "s",
      title: "",
      status: status([{ turn: "t", state: "running", start: "0.0" }]),
      before: null,
      messages: [
        {
          id: "t.reply",
          role: "assistant",
          turn: "t",
          at: 1,
          state: "running",
          parts: [
            { type: "tool", call: "b", name: "shell", input: "{}", pending: pendingCall("b") },
            {
              type: "tool",
              call: "a",
              name: "shell",
              input: "{}",
              answered: {
                answer: "approved",
                by: "user:ann",
                question: { digest: "digest of a", reason: "", what: "approval" },
              },
            },
          ],
        },
      ],
    };
    const read = withCalls(waiting, page);
    expect(questionsOf(read).map(({ call }) => call)).toEqual(["b"]);
    expect(parts(read)[0]).toMatchObject({ answer: { answer: "approved" } });
    expect(read.turns[0]?.state).toBe("running");
    expect(read.last).toBe(waiting.last);
  });
});

describe("what a turn does while a message is written", () => {
  it.each([
    ["approval", "approval", "approval"],
    ["client", "client", "client"],
    ["approval", "client", "both"],
  ] as const)("waits for %s and %s: %s", (a, b, work) => {
    const transcript = play([
      ...both.slice(0, 9),
      asked("3.0", "a", { what: a }),
      asked("4.0", "b", { what: b }),
      ...both.slice(11),
    ]);
    expect(workOf(transcript, questionsOf(transcript))).toBe(work);
  });

  it("is running, or nothing", () => {
    expect(workOf(play([start("t", 1)]), [])).toBe("running");
    expect(workOf(play([start("t", 1), end("t", 2)]), [])).toBe("nothing");
    expect(workOf(EMPTY, [])).toBe("nothing");
  });
});

describe("a message that was steered", () => {
  const steered = at("3.0", {
    type: "steered",
    turn: "t",
    message: "m",
    content: say("wait"),
    at: 1,
  });
  const before = withAccepted(
    play([start("t", 1), step("t", 2), at("2.1", { type: "text-start" })]),
    "m",
    say("wait"),
    "steer",
  );

  it("leaves the line and becomes a part of the turn that took it in", () => {
    expect(before.turns.map(({ id, state }) => [id, state])).toEqual([
      ["t", "running"],
      ["m", "queued"],
    ]);
    const after = play([steered, step("t", 4, 2)], before);
    expect(after.turns.map(({ id }) => id)).toEqual(["t"]);
    expect(parts(after).at(-1)).toMatchObject({ kind: "steered", content: say("wait") });
    expect(hasMessage(after, "m")).toBe(true);
    expect(withAccepted(after, "m", say("wait"))).toBe(after);
  });

  it("stays when the attempt after it is given up", () => {
    const reset = at("5.0", { type: "step-reset", turn: "t", to: "4.0", reason: "interrupted" });
    const after = play([steered, step("t", 4, 2), reset], before);
    expect(spoken(after)).toHaveLength(2);
  });

  it("is an ordinary turn where the other one ended first", () => {
    const after = play([end("t", 3), start("m", 4)], before);
    expect(after.turns.map(({ id, state }) => [id, state])).toEqual([
      ["t", "completed"],
      ["m", "running"],
    ]);
  });
});

describe("messages in line that this page did not send", () => {
  const now = at(
    "",
    status([
      { turn: "t", state: "running", start: "0.0" },
      { turn: "m", state: "queued", start: null },
    ]),
  );

  it("are there without their text until it is known", () => {
    const before = play([start("t", 1), now, now]);
    expect(before.turns.map(({ id, content }) => [id, content])).toEqual([
      ["t", say("ask t")],
      ["m", null],
    ]);
    expect(withAccepted(before, "m", say("hi")).turns[1]?.content).toEqual(say("hi"));
    expect(play([end("t", 2), start("m", 3)], before).turns[1]?.content).toEqual(say("ask m"));
  });
});

describe("events of no turn", () => {
  it("cleared: nothing is left but what is in line, and the cursor goes on", () => {
    const before = withAccepted(play([start("t", 1), end("t", 2)]), "m", say("next"));
    const after = play([at("3.0", { type: "cleared", at: 1 })], { ...before, before: 7 });
    expect(after.turns.map(({ id }) => id)).toEqual(["m"]);
    expect(after).toMatchObject({ before: null, last: "3.0" });
    expect(play([start("m", 4)], after).turns).toMatchObject([{ id: "m", state: "running" }]);
  });

  it("permissions and the status say the mode", () => {
    expect(EMPTY.mode).toBeNull();
    const first = play([at("", { ...status([]), mode: "EXPLORE" })]);
    expect(first.mode).toBe("EXPLORE");
    const rules = { allow: [], ask: [], deny: [] };
    const event = at("1.0", { type: "permissions", mode: "BYPASS", ...rules, at: 1 });
    const second = play([event], first);
    expect(second.mode).toBe("BYPASS");
    const old = at("0.5", { type: "permissions", mode: "DEFAULT", ...rules, at: 1 });
    expect(play([old], second).mode).toBe("BYPASS");
  });
});
