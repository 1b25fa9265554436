import * as fc from "fast-check";
import type { Fact, JournalEntry } from "../../src/session/entries.ts";
import type { StepPart } from "../../src/shared/messages.ts";

/** How often a property is tried: one of plain values, and one that needs a database each time. */
export const often = { numRuns: 1_000 };
export const sometimes = { numRuns: 300 };

/** Texts that are hard to cut: pairs, halves of pairs, joined emoji, line ends, what looks like a frame. */
export const hardText = fc
  .array(fc.constantFrom("a", "bc ", "漢", "😀", "👩‍💻", "\ud83d", "\ude00", "\n\n", "id: 1.0"), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(""));

/** A part as a model says it: what kind, and the pieces in which its text comes. */
export type Said = {
  readonly type: StepPart["type"];
  readonly pieces: readonly string[];
  readonly signature?: string;
};

const said: fc.Arbitrary<Said> = fc.record(
  {
    type: fc.constantFrom("text" as const, "reasoning" as const, "tool-call" as const),
    pieces: fc.array(hardText, { maxLength: 5 }),
    signature: fc.constantFrom("sig"),
  },
  { requiredKeys: ["type", "pieces"] },
);

/** Everything a model says in one step. */
export const saidStep: fc.Arbitrary<readonly Said[]> = fc.array(said, { maxLength: 6 });

type Draw = {
  readonly calls: number;
  readonly text: string;
  readonly reset: "interrupted" | "retry" | null;
  /** How much of the step's tools happened before something ended the turn: intents and results, or all. */
  readonly settled: number;
  readonly hasIntents: boolean;
};

const drawnStep: fc.Arbitrary<Draw> = fc.record({
  calls: fc.integer({ min: 0, max: 3 }),
  text: fc.constantFrom("", "said", "👩‍💻"),
  reset: fc.constantFrom(null, null, "interrupted" as const, "retry" as const),
  settled: fc.integer({ min: 0, max: 6 }),
  hasIntents: fc.boolean(),
});

const drawnTurn = fc.record({
  steps: fc.array(drawnStep, { maxLength: 4 }),
  /** How the turn ends; `open` only counts for the last turn. */
  end: fc.constantFrom("completed", "failed", "stopped", "open", "cut" as const),
  replaces: fc.boolean(),
  attaches: fc.boolean(),
});

/**
 * The journal of a session as real turns could leave it: steps with calls, attempts that were given up, calls whose
 * results were made up when the turn was cut off, answers given anew, and a last turn that may have got anywhere.
 */
export const journals: fc.Arbitrary<JournalEntry[]> = fc
  .array(drawnTurn, { minLength: 1, maxLength: 6 })
  .map((turns) => {
    const entries: JournalEntry[] = [];
    let seq = 0;
    for (const [index, drawn] of turns.entries()) {
      const turn = `t${index}`;
      const add = (fact: Fact, skip = 1) =>
        void entries.push({ seq: (seq += skip), turn, at: 1_000 + seq, ...fact });
      const replaces = drawn.replaces && index > 0 ? { replaces: `t${index - 1}` } : {};
      add({ kind: "user", content: [{ type: "text", text: `question ${index}` }], ...replaces });
      if (drawn.attaches) {
        const files = [{ path: "a.md", text: "👩‍💻 <a>", cut: index % 2 === 0 }];
        // The seq of the attempt that was reserved before stays unused.
        add({ kind: "attached", files, seen: { "a.md": `${index}` } }, 2);
      }
      const isLast = index === turns.length - 1;
      addSteps(drawn.steps, drawn.end, isLast, add, () => seq);
      if (drawn.end === "open" && isLast) continue;
      const outcome = drawn.end === "open" || drawn.end === "cut" ? "stopped" : drawn.end;
      add({ kind: "end", outcome, usage, steps: drawn.steps.length });
    }
    return entries;
  });

const usage = { input: 1, output: 1, cached: 0 };

function addSteps(
  steps: readonly Draw[],
  end: string,
  isLast: boolean,
  add: (fact: Fact, skip?: number) => void,
  seq: () => number,
): void {
  for (const [at, step] of steps.entries()) {
    const isFinal = at === steps.length - 1;
    if (step.reset) add({ kind: "reset", attempt: seq() + 1, reason: step.reset }, 2);
    // Only the last step of a turn makes no call, or is cut short.
    const count = isFinal ? step.calls : Math.max(1, step.calls);
    const isCut = isFinal && end === "cut";
    const calls = Array.from({ length: count }, (_, n) => ({
      call: `call_${seq() + 1}_${n}`,
      name: "tool",
    }));
    const parts: StepPart[] = [
      ...(step.text === "" ? [] : [{ type: "text" as const, text: step.text }]),
      ...calls.map((call) => ({ type: "tool-call" as const, input: "{}", ...call })),
    ];
    const finish = isCut ? "stopped" : count > 0 ? "tool-calls" : "stop";
    add({ kind: "step", step: at + 1, model: "m", parts, finish, usage });
    const isOpen = isFinal && isLast && end === "open";
    const result = (call: { call: string; name: string }): Fact => ({
      kind: "result",
      ...call,
      status: isCut ? "interrupted" : "success",
      content: [{ type: "text", text: "result" }],
    });
    for (const [n, call] of calls.entries()) {
      if (isOpen && n >= step.settled) break;
      if (step.hasIntents && !isCut) add({ kind: "intent", ...call });
      if (!isOpen || n * 2 < step.settled) add(result(call));
    }
  }
}
