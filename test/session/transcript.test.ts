import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { openCalls } from "../../src/session/entries.ts";
import { groupTurns, lastSeen, toModelMessages } from "../../src/session/transcript.ts";
import type { ModelMessage, StepPart } from "../../src/shared/messages.ts";
import { historyViolations, messageViolations } from "../support/message-invariants.ts";
import { journals, often } from "./arbitraries.ts";

const textsOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) =>
    message.role === "user"
      ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      : [],
  );

const usage = { input: 0, output: 0, cached: 0 };
const base = { seq: 1, turn: "t", at: 0 };
const user = (text: string, more: Partial<JournalEntry> = {}): JournalEntry =>
  ({ ...base, kind: "user", content: [{ type: "text", text }], ...more }) as JournalEntry;
const step = (parts: readonly StepPart[], finish: "stop" | "stopped" = "stop"): JournalEntry => ({
  ...base,
  seq: 2,
  kind: "step",
  step: 1,
  model: "m",
  parts,
  finish,
  usage,
});
const call: StepPart = { type: "tool-call", call: "c1", name: "tool", input: "{" };

describe("the messages for a model", () => {
  it("[T6] are valid for every provider, whatever interrupted which turn, at every moment", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        expect(historyViolations(entries)).toEqual([]);
      }),
      often,
    );
  });

  it("[T6] are valid when the context starts at any turn", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        for (const [index, { kind }] of entries.entries()) {
          if (kind !== "user") continue;
          expect(messageViolations(toModelMessages(entries.slice(index)))).toEqual([]);
        }
      }),
      often,
    );
  });

  it("hold each question once, in order, but for those of answers that were given anew", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        const kept = groupTurns(entries).map(({ turn }) => `question ${turn.slice(1)}`);
        const texts = textsOf(toModelMessages(entries));
        expect(texts.filter((text) => !text.startsWith("<attached_file "))).toEqual(kept);
      }),
      often,
    );
  });

  it("hold each result that a call got, and say of a call without one that it has none", () => {
    const open = toModelMessages([user("q"), step([call])]);
    expect(open.at(-1)).toMatchObject({
      role: "tool",
      results: [{ call: "c1", status: "interrupted" }],
    });
    const result: JournalEntry = {
      ...base,
      seq: 3,
      kind: "result",
      call: "c1",
      name: "tool",
      status: "error",
      content: [{ type: "text", text: "no" }],
    };
    const settled = toModelMessages([user("q"), step([call]), result]);
    expect(settled.at(-1)).toMatchObject({
      results: [{ status: "error", content: result.content }],
    });
  });

  it("keep what a stopped answer said and leave out what it was about to call", () => {
    const parts: StepPart[] = [{ type: "text", text: "so" }, call];
    expect(toModelMessages([user("q"), step(parts, "stopped")])).toEqual([
      { role: "user", content: [{ type: "text", text: "q" }] },
      { role: "assistant", parts: [{ type: "text", text: "so" }] },
    ]);
    expect(toModelMessages([user("q"), step([call], "stopped")])).toHaveLength(1);
  });

  it("leave out an answer of nothing but thoughts, and thoughts that are empty and unsigned", () => {
    const thought: StepPart = { type: "reasoning", text: "hm" };
    const signed: StepPart = { type: "reasoning", text: "", signature: "s" };
    const empty: StepPart = { type: "reasoning", text: "" };
    expect(toModelMessages([user("q"), step([thought, signed])])).toHaveLength(1);
    const said = toModelMessages([user("q"), step([empty, signed, { type: "text", text: "a" }])]);
    expect(said.at(-1)).toMatchObject({ parts: [signed, { type: "text", text: "a" }] });
  });

  it("join the questions of turns that failed without an answer", () => {
    const second = user("second", { seq: 5, turn: "u" });
    expect(toModelMessages([user("first"), second])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "first" },
          { type: "text", text: "second" },
        ],
      },
    ]);
  });
});

describe("files that a message names", () => {
  const attached = (path: string, cut: boolean): JournalEntry => ({
    ...base,
    seq: 2,
    kind: "attached",
    files: [{ path, text: "one\n\nthree", cut }],
  });

  it("follow its own content, each in a part of its own", () => {
    expect(toModelMessages([user("q"), attached("a.md", false), step([call])])[0]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "q" },
        { type: "text", text: '<attached_file path="a.md">\none\n\nthree\n</attached_file>' },
      ],
    });
  });

  it("say where they go on", () => {
    expect(textsOf(toModelMessages([user("q"), attached("a.md", true)]))[1]).toContain(
      "\nthree\n[The file goes on: read_file shows the rest, with offset=3.]\n</attached_file>",
    );
  });

  it("[C5] cannot leave their tag by their names", () => {
    const [, text] = textsOf(toModelMessages([user("q"), attached('"><a>&.md', false)]));
    expect(text).toMatch(/^<attached_file path="&quot;&gt;&lt;a&gt;&amp;\.md">\n/);
  });
});

describe("what the model has seen of a file", () => {
  const result = (seq: number, etag: string, more: object = {}): JournalEntry => {
    const fact = { kind: "result", name: "tool", status: "success", content: [] } as const;
    return { ...base, ...fact, seq, call: `c${seq}`, seen: { "a.md": etag }, ...more };
  };
  const intent = (seq: number): JournalEntry => ({
    ...base,
    seq,
    kind: "intent",
    call: `c${seq + 1}`,
    name: "tool",
  });

  it("[W9] is its newest etag in the context, and of other files nothing", () => {
    const entries = [user("q"), step([call]), result(3, "1"), result(4, "2"), step([call])];
    expect(lastSeen(entries, "a.md")).toBe("2");
    for (const path of ["b.md", "", "constructor", "__proto__"])
      expect(lastSeen(entries, path)).toBeNull();
    expect(lastSeen([], "a.md")).toBeNull();
  });

  it("[W9] of the step that it is in is what it wrote, not what it asked to read", () => {
    const entries = [user("q"), step([call]), result(3, "1"), step([call]), result(5, "2")];
    expect(lastSeen(entries, "a.md")).toBe("1");
    expect(lastSeen([...entries, intent(6), result(7, "3")], "a.md")).toBe("3");
  });

  it("[W9] is nothing that only an answer saw which was given anew", () => {
    const first = [user("q"), step([call]), result(3, "1"), step([])];
    const second = user("q", { turn: "u", replaces: "t" } as Partial<JournalEntry>);
    expect(lastSeen(first, "a.md")).toBe("1");
    expect(lastSeen([...first, second], "a.md")).toBeNull();
  });
});

describe("the calls of a turn that are open", () => {
  it("are those of its last step that have no result, in call order", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        const last = groupTurns(entries).at(-1)?.entries ?? [];
        const calls = last.findLast(({ kind }) => kind === "step");
        const all =
          calls?.kind === "step"
            ? calls.parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []))
            : [];
        const settled = last.flatMap((entry) => (entry.kind === "result" ? [entry.call] : []));
        expect(openCalls(last).map((open) => open.call)).toEqual(
          all.filter((id) => !settled.includes(id)),
        );
      }),
      often,
    );
  });
});
