import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { checkInvariants } from "./invariants.ts";
import type { Observation, Tables } from "./observation.ts";
import { createWitness } from "./scripted-model.ts";

const call = {
  type: "tool-call",
  call: "c1",
  name: "unsafe_thing",
  input: '{"label":"a"}',
} as const;
const step = { kind: "step", step: 1, model: "m", usage: noUsage } as const;

const journal: readonly JournalEntry[] = [
  { seq: 1, turn: "t", at: 0, kind: "user", content: [{ type: "text", text: "hi" }] },
  { seq: 2, turn: "t", at: 0, ...step, parts: [call], finish: "tool-calls" },
  { seq: 3, turn: "t", at: 0, kind: "intent", call: "c1", name: "unsafe_thing" },
  {
    seq: 4,
    turn: "t",
    at: 0,
    kind: "result",
    call: "c1",
    name: "unsafe_thing",
    status: "success",
    content: [],
  },
  {
    seq: 6,
    turn: "t",
    at: 0,
    ...step,
    step: 2,
    parts: [{ type: "text", text: "ok" }],
    finish: "stop",
  },
  { seq: 7, turn: "t", at: 0, kind: "end", outcome: "completed", usage: noUsage, steps: 2 },
];

const text = (id: string, said: string): IdentifiedEvent => ({
  id,
  event: { type: "text", text: said },
});
const stepStart = (id: string, of: number): IdentifiedEvent => ({
  id,
  event: { type: "step-start", turn: "t", step: of, model: "m" },
});
const end = {
  type: "turn-end",
  turn: "t",
  reply: "r",
  outcome: "completed",
  usage: noUsage,
  steps: 2,
  at: 0,
} as const;
const start: IdentifiedEvent = {
  id: "1.0",
  event: { type: "turn-start", turn: "t", reply: "r", content: [], at: 0 },
};
const reset: IdentifiedEvent = {
  id: "5.0",
  event: { type: "step-reset", turn: "t", to: "2.0", reason: "retry" },
};
const replay = [start, reset, stepStart("6.0", 1), text("6.3", "ok"), { id: "7.0", event: end }];

const good: Observation = {
  tables: {
    turns: [{ id: "t", no: 1, state: "completed", start: 1, joined: null }],
    journal,
    jobs: [],
    checkpoints: 0,
  },
  sent: [{ key: "t", text: "hi", sentAt: 1, ackedAt: 2 }],
  streams: [
    [
      start,
      stepStart("2.0", 1),
      text("2.4", "half"),
      reset,
      stepStart("6.0", 1),
      text("6.2", "o"),
      text("6.3", "k"),
    ],
  ],
  replay,
  history: [{ id: "t", role: "user", turn: "t", at: 0, content: [{ type: "text", text: "hi" }] }],
  effects: { runs: ["unsafe_thing:a"], keyed: new Map([["k", "a"]]) },
  witness: createWitness(),
  tools: [{ name: "unsafe_thing", replay: "unsafe" }],
  crashes: [],
};

const tables = (change: Partial<Tables>): Partial<Observation> => ({
  tables: { ...good.tables, ...change },
});
const without = (seq: number) => tables({ journal: journal.filter((entry) => entry.seq !== seq) });
const seen = (...events: IdentifiedEvent[]): Partial<Observation> => ({ streams: [events] });

describe("what is left after a run", () => {
  it("is right when every promise was kept", () => {
    expect(checkInvariants(good)).toEqual([]);
  });

  it.each<[string, Partial<Observation>, string]>([
    ["a lost turn", { ...tables({ turns: [], journal: [] }), history: [] }, "turn t is lost"],
    [
      "a message that is there twice",
      { history: [...good.history, ...good.history] },
      "is 2 times",
    ],
    ["a turn that nobody sent", { sent: [] }, "nobody sent turn t"],
    [
      "a message that was taken into a turn which began later",
      tables({
        turns: [{ id: "s", no: 0, state: "steered", start: 5, joined: "t" }, ...good.tables.turns],
        journal: [
          ...journal,
          { seq: 5, turn: "t", at: 0, kind: "steered", message: "s", content: [] },
        ],
      }),
      "s was taken into t, which had not begun when it came",
    ],
    ["a turn without an end", without(7), "does not end with its only end"],
    [
      "a row that contradicts",
      tables({ turns: [{ id: "t", no: 1, state: "failed", start: 1, joined: null }] }),
      "its row says",
    ],
    ["a missing step", without(2), "step 2 where 1 is due"],
    ["a call without a result", without(4), "has no result before"],
    ["a result without an intent", without(3), "ran without an intent"],
    [
      "a second run",
      { effects: { runs: ["unsafe_thing:a", "unsafe_thing:a"], keyed: new Map() } },
      "ran 2 times",
    ],
    [
      "a second key",
      {
        effects: {
          runs: ["unsafe_thing:a"],
          keyed: new Map([
            ["k", "a"],
            ["l", "a"],
          ]),
        },
      },
      "two keys",
    ],
    ["a job", tables({ jobs: [{ id: "turn:t", kind: "drive" }] }), "job turn:t is left"],
    ["a checkpoint", tables({ checkpoints: 1 }), "a checkpoint is left"],
    ["a gap", seen(start, text("6.3", "ok")), "where the replay has"],
    ["a repeat", seen(start, start), "id 1.0 after 1.0"],
    [
      "text that no reset took back",
      seen(start, stepStart("2.0", 1), stepStart("6.0", 1)),
      "saw 2.0",
    ],
    [
      "other text",
      seen(start, stepStart("6.0", 1), text("6.3", "no"), { id: "7.0", event: end }),
      "saw 6.3",
    ],
    ["an event after the end", { replay: [...replay, text("8.0", "psst")] }, "outside of any turn"],
    ["no terminal event", { replay: replay.slice(0, -1) }, "has no terminal event"],
  ])("is wrong with %s", (_, change, what) => {
    expect(checkInvariants({ ...good, ...change }).join("\n")).toContain(what);
  });
});
