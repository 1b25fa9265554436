import { describe, expect, it } from "vitest";
import { readSaid, type Cursor, type Stretch } from "../../../src/memory/flush/said.ts";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import { NO_TURN, type Fact, type JournalEntry } from "../../../src/session/entries.ts";
import { noUsage } from "../../../src/shared/messages.ts";
import { currentTime } from "../../../src/tools/current-time.ts";
import { createPlanMode } from "../../../src/plan/plan-mode.ts";
import { todoList } from "../../../src/plan/todo-list.ts";
import { createFileTools } from "../../../src/tools/files/file-tools.ts";
import { ownTools } from "../../../src/tools/own-tools.ts";
import { seededRandom } from "../../support/random.ts";

const text = (said: string) => [{ type: "text", text: said }] as const;
const user = (said: string, replaces?: string): Fact => ({
  kind: "user",
  content: text(said),
  ...(replaces === undefined ? {} : { replaces }),
});
const step = (said: string): Fact => ({
  kind: "step",
  step: 1,
  model: "m",
  parts: text(said),
  finish: "stop",
  usage: noUsage,
});
const end: Fact = { kind: "end", outcome: "completed", usage: noUsage, steps: 1 };
const result = (name: string): Fact => ({
  kind: "result",
  call: "c",
  name,
  status: "success",
  content: text("from a tool"),
});

/** A journal with gaps, of turns that are given by name. */
function journal(...turns: readonly (readonly [string, ...(readonly Fact[])])[]): JournalEntry[] {
  let seq = 0;
  return turns.flatMap(([turn, ...facts]) =>
    facts.map((fact): JournalEntry => ({ seq: (seq += 2), turn, at: 0, ...fact })),
  );
}

/** What work of a session sees of a journal, two entries a page. */
const scopeOf = (entries: readonly JournalEntry[]) => ({
  entries: (from: number) => entries.filter(({ seq }) => seq >= from).slice(0, 2),
  ended: entries.findLast(({ kind }) => kind === "end")?.seq ?? 0,
});

type Options = { readonly chars?: number; readonly upTo?: number; readonly cursor?: Cursor };

function read(entries: readonly JournalEntry[], options: Options = {}): Stretch | null {
  const scope = scopeOf(entries);
  const { chars = 60_000, upTo = scope.ended, cursor = { seq: 0 } } = options;
  return readSaid(scope, { cursor, upTo, chars });
}

/** Stretch after stretch to the end. */
function readAll(entries: readonly JournalEntry[], chars: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let cursor: Cursor = { seq: 0 }; ;) {
    const stretch = read(entries, { chars, cursor });
    if (!stretch) return stretches;
    stretches.push(stretch);
    expect(stretch.cursor).not.toEqual(cursor);
    ({ cursor } = stretch);
  }
}

describe("what was said", () => {
  it("[M6] is known by the tools that show only what is the person's own", () => {
    const memoryOf = () => ({ forget: () => Promise.reject(new Error("not asked")) });
    const tools = [
      currentTime,
      ...createFileTools([]),
      ...createMemoryTools({ memoryOf, canForget: true }),
      ...createPlanMode({ allowsShell: false }).tools(),
      ...todoList.tools(),
    ];
    expect(tools.map(({ name }) => name).filter((name) => !ownTools.includes(name))).toEqual([]);
    const drafting = ["propose_skill", "skill_manage"];
    const answering = ["generate_response"];
    const known = [...tools.map(({ name }) => name), ...drafting, ...answering];
    expect([...ownTools].toSorted()).toEqual(known.toSorted());
  });

  it("[M6] is what user and assistant said, messages on the way too, and nothing else", () => {
    const other: readonly Fact[] = [
      { kind: "attached", files: [{ path: "a.md", text: "of a file", cut: false }] },
      { kind: "steered", message: "m", content: text("and this") },
      { kind: "repair", text: "that was no JSON" },
      { kind: "reset", attempt: null, reason: "interrupted" },
      result("read_file"),
    ];
    const entries = journal(
      ["a", user("one\nmore"), ...other, step("two"), end],
      [NO_TURN, { kind: "cleared", by: "user:ann" }],
      ["b", user("three"), step(""), end],
    );
    expect(read(entries)).toEqual({
      text: "[USER]: one\n  more\n[USER]: and this\n[ASSISTANT]: two\n[USER]: three",
      cursor: { seq: 24 },
      seq: [2, 20],
      turn: "b",
      turns: 2,
      saidAt: 0,
      outside: false,
    });
    expect(read(entries, { cursor: { seq: 24 } })).toBeNull();
  });

  it("[M6] came from outside where it follows the result of another tool in its turn", () => {
    const entries = journal(
      ["a", user("one"), result("web_search"), end],
      ["b", user("two"), step("I look"), result("web_search"), step("found"), end],
    );
    expect(read(entries, { upTo: 6 })?.outside).toBe(false);
    expect(read(entries)?.outside).toBe(true);
    const half = read(entries, { upTo: 12 });
    expect(half).toMatchObject({ outside: false, cursor: { seq: 12, outside: true } });
    const rest = read(entries, { cursor: half?.cursor ?? { seq: 0 } });
    expect(rest).toMatchObject({ text: "[ASSISTANT]: found", outside: true });
  });

  it("[M7] is as old as its oldest turn, or as the one whose answer it gives anew", () => {
    const entries = journal(
      ["a", user("one"), step("first"), end],
      ["b", user("one", "a"), step("second"), end],
      ["c", user("three"), step("a long answer"), end],
    ).map((entry) => ({ ...entry, at: 100 + entry.seq }));
    const saidAt = (options: Options) => read(entries, options)?.saidAt;
    expect(saidAt({})).toBe(102);
    expect(saidAt({ cursor: { seq: 12 } })).toBe(114);
    // Of what was read in part it is not known.
    expect(saidAt({ cursor: { seq: 6 } })).toBe(0);
    expect(saidAt({ cursor: { seq: 14 } })).toBe(0);
    expect(saidAt({ cursor: { seq: 12, within: 2 } })).toBe(114);
    expect(saidAt({ cursor: { seq: 12 }, chars: 7 })).toBe(114);
  });

  it("[M1] of an answer that was given anew is not read, nor its message twice", () => {
    const entries = journal(
      ["a", user("one"), step("first"), end],
      ["b", user("one", "a"), step("second"), end],
      ["c", user("one", "b"), step("third"), end],
    );
    expect(read(entries)?.text).toBe("[USER]: one\n[ASSISTANT]: third");
    expect(readAll(entries.slice(0, 3), 100).map((stretch) => stretch.text)).toHaveLength(1);
    const later = (seq: number) => read(entries, { cursor: { seq } })?.text;
    expect([later(6), later(12)]).toEqual(["[ASSISTANT]: third", "[ASSISTANT]: third"]);
  });

  it("[M1] of an answer that is given anew past the stretch is left to the next one", () => {
    const entries = journal(
      ["a", user("one"), step("first"), end],
      ["b", user("two"), step("second"), end],
      ["c", user("two", "b"), step("third"), end],
    );
    const first = read(entries, { upTo: 12 });
    expect(first).toMatchObject({ text: "[USER]: one\n[ASSISTANT]: first", cursor: { seq: 6 } });
    expect(read(entries, { cursor: { seq: 6 }, upTo: 12 })).toBeNull();
    expect(read(entries, { cursor: { seq: 6 } })?.text).toBe("[USER]: two\n[ASSISTANT]: third");
  });

  it("[M7] of a turn in which something was forgotten is not read, before that and after it", () => {
    const failed: Fact = { ...result("memory_forget"), status: "error" } as Fact;
    const entries = journal(
      ["a", user("one"), failed, step("not found"), end],
      ["b", user("forget tea"), step("I look"), result("memory_forget"), step("tea is gone"), end],
      ["c", user("two"), end],
    );
    expect(read(entries)?.text).toBe("[USER]: one\n[ASSISTANT]: not found\n[USER]: two");
    expect(read(entries.slice(4, 9))).toMatchObject({ text: "", cursor: { seq: 18 } });
  });

  it("[M1] comes in whole turns, and in parts only where one is too long alone", () => {
    const words = Array.from({ length: 40 }, (_, no) => `word${no}`).join(" ");
    const entries = journal(
      ["a", user("short"), end],
      ["b", user(words), step("answer"), end],
      ["c", user("short too"), end],
    );
    const stretches = readAll(entries, 100);
    const first = stretches.map(({ text: said }) => said.split(" ").slice(0, 2).join(" "));
    expect(first[0]).toBe("[USER]: short");
    expect(stretches[1]?.cursor.within).toBeGreaterThan(80);
    const whole = stretches.map(({ text: said }) => said.replaceAll(/\[\w+\]: /g, "")).join("\n");
    for (const word of ["short too", "answer", ...words.split(" ")])
      expect(whole.split(new RegExp(`\\b${word}\\b`)), word).toHaveLength(2);
  });

  it("[M1] is read once, whatever the lengths", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 200; round++) {
      const turns = Array.from({ length: 8 }, (_, no): [string, ...Fact[]] => {
        const facts = Array.from({ length: Math.floor(random() * 5) }, (__, at) => {
          const said = ` ${"x 😀".repeat(random() * 30)}`.repeat(random() < 0.2 ? 8 : 1);
          return random() < 0.2 ? result("web") : step(`<${no}.${at}>${said}</${no}.${at}>`);
        });
        return [`t${no}`, user(`<${no}>${"y".repeat(random() * 300)}</${no}>`), ...facts, end];
      });
      const entries = journal(...turns);
      const said = entries.flatMap((entry): readonly object[] => {
        if (entry.kind === "step") return entry.parts;
        return entry.kind === "user" ? entry.content : [];
      });
      const stretches = readAll(entries, 60 + random() * 400);
      const all = stretches.map((stretch) => stretch.text.replaceAll(/^\[\w+\]: /gm, ""));
      const flat = (texts: readonly string[]) => texts.join("").replaceAll("\n", "");
      expect(flat(all)).toBe(flat(said.map((part) => ("text" in part ? String(part.text) : ""))));
      expect(stretches.every((stretch) => stretch.text.isWellFormed())).toBe(true);
    }
  });
});
