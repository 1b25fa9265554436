import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noWork } from "../../src/shared/plan.ts";
import { toAgentState } from "../../src/session/agent-state.ts";
import type { JournalEntry } from "../../src/session/entries.ts";
import { groupTurns } from "../../src/session/transcript.ts";
import { journals, often } from "./arbitraries.ts";

const address = { agent: "main", user: "ann", session: "s1" };
const parts = {
  summary: "",
  permission_context: {
    mode: "DEFAULT",
    working_directories: [],
    allow_rules: {},
    deny_rules: {},
    ask_rules: {},
  },
  groups: [],
  work: noWork,
  carried: {},
};
const usage = { input: 0, output: 0, cached: 0 };

describe("the state document", () => {
  it("has the original's fields, and a message for each thing that was said", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        const state = toAgentState(address, entries, null, parts);
        expect(state).toMatchObject({
          session_id: "s1",
          user_id: "ann",
          reply_id: null,
          cur_iter: 0,
        });
        const said = groupTurns(entries)
          .flatMap((turn) => turn.entries)
          .filter(({ kind }) => ["user", "attached", "step", "result"].includes(kind));
        expect(state.context.map(({ role }) => role)).toEqual(
          said.map(({ kind }) => (kind === "user" || kind === "attached" ? "USER" : "ASSISTANT")),
        );
        expect(new Set(state.context.map(({ id }) => id)).size).toBe(said.length);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      often,
    );
  });

  it("writes calls and results as the original's blocks, and arguments that are no JSON as they are", () => {
    const own = { turn: "t", at: Date.UTC(2026, 0, 2, 3, 4, 5, 6) };
    const calls = ['{"a":1}', "", "{"].map((input, n) => ({
      type: "tool-call" as const,
      call: `c${n}`,
      name: "tool",
      input,
    }));
    const entries: JournalEntry[] = [
      {
        ...own,
        seq: 1,
        kind: "step",
        step: 1,
        model: "m",
        parts: calls,
        finish: "tool-calls",
        usage,
      },
      { ...own, seq: 2, kind: "result", call: "c0", name: "tool", status: "error", content: [] },
    ];
    const { context, cur_iter, reply_id } = toAgentState(address, entries, "t", parts);
    expect({ cur_iter, reply_id }).toEqual({ cur_iter: 1, reply_id: "t.reply" });
    expect(context[0]?.timestamp).toBe("2026-01-02 03:04:05.006");
    expect(context[0]?.content).toMatchObject([
      { type: "tool_use", id: "c0", input: { a: 1 } },
      { type: "tool_use", id: "c1", input: {} },
      { type: "tool_use", id: "c2", input: { malformed: "{" } },
    ]);
    expect(context[1]?.content).toEqual([
      { type: "tool_result", id: "c0", name: "tool", output: [], state: "error" },
    ]);
  });

  it("says which calls wait for an answer, and what was said while the turn ran", () => {
    const own = { turn: "t", at: 0 };
    const call = (id: string) => ({
      type: "tool-call" as const,
      call: id,
      name: "tool",
      input: "{}",
    });
    const question = {
      name: "tool",
      what: "approval",
      input: "{}",
      digest: "d",
      reason: "",
      suggested: [],
      expiresAt: 9,
    } as const;
    const step = { step: 1, model: "m", finish: "tool-calls", usage } as const;
    const entries: JournalEntry[] = [
      { ...own, seq: 1, kind: "user", content: [{ type: "text", text: "go" }] },
      {
        ...own,
        seq: 2,
        kind: "steered",
        message: "m2",
        content: [{ type: "text", text: "or not" }],
      },
      { ...own, seq: 3, kind: "step", ...step, parts: [call("c1"), call("c2")] },
      { ...own, seq: 4, kind: "asked", call: "c2", ...question },
      {
        ...own,
        seq: 5,
        turn: "",
        kind: "permissions",
        by: "user:ann",
        mode: "DEFAULT",
        allow: [],
        ask: [],
        deny: [],
      },
    ];
    const { context } = toAgentState(address, entries, "t", parts);
    expect(context.map(({ id, role }) => `${role} ${id}`)).toEqual([
      "USER t",
      "USER m2",
      "ASSISTANT t.3",
    ]);
    expect(context[2]?.content).toEqual([
      { type: "tool_use", id: "c1", name: "tool", input: {} },
      { type: "tool_use", id: "c2", name: "tool", input: {}, state: "asking" },
    ]);
    const later = toAgentState(address, entries, null, parts).context[2];
    expect(JSON.stringify(later)).not.toContain("asking");
  });
});
