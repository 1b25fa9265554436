import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LiveStep, partsOf } from "../../src/session/live-step.ts";
import { readTape, tapeLength, tapeOf, type TapePart } from "../../src/session/tape.ts";
import type { StepPart } from "../../src/shared/messages.ts";
import { often, type Said, saidStep } from "./arbitraries.ts";

const newLive = () => new LiveStep({ seq: 7, turn: "t", step: 1, model: "m" });

/** Says all of it, piece by piece; `between` is called after each piece. */
function sayAll(live: LiveStep, steps: readonly Said[], between: () => void = () => {}): void {
  for (const { type, pieces, signature } of steps) {
    const call = type === "tool-call" ? live.call("tool") : null;
    for (const piece of pieces) {
      if (call) live.input(call, piece);
      else if (type !== "tool-call") live.say(type, piece);
      between();
    }
    if (type === "reasoning" && signature !== undefined) live.sign(signature);
    between();
  }
}

/** The events of a tape from `offset` on as one text, in which it does not show how texts were cut. */
function heard(parts: readonly TapePart[], offset = 0, budget = Number.POSITIVE_INFINITY) {
  let text = "";
  const read = readTape(parts, offset, budget);
  for (const { event } of read.events) {
    text += "text" in event ? event.text : `<${JSON.stringify(event)}>`;
  }
  return { text, offset: read.offset, events: read.events };
}

const lengths = (parts: readonly TapePart[]): number[] =>
  heard(parts).events.flatMap(({ event }) => ("text" in event ? [event.text.length] : []));

describe("the tape of a step", () => {
  it("[S1] is the same live and journaled, however the model cut what it said", () => {
    fc.assert(
      fc.property(saidStep, (steps) => {
        const live = newLive();
        sayAll(live, steps);
        live.close();
        const journaled = tapeOf(partsOf(live));
        expect(heard(live.parts)).toMatchObject({
          text: heard(journaled).text,
          offset: tapeLength(journaled),
        });
        expect(tapeLength(live.parts)).toBe(tapeLength(journaled));
      }),
      often,
    );
  });

  it("[S1] goes on exactly where a reader of the live step was when it was journaled", () => {
    fc.assert(
      fc.property(saidStep, (steps) => {
        const live = newLive();
        const seen: { text: string; offset: number }[] = [];
        sayAll(live, steps, () => seen.push(heard(live.parts)));
        live.close();
        const journaled = tapeOf(partsOf(live));
        const whole = heard(journaled).text;
        for (const { text, offset } of seen) {
          expect(text + heard(journaled, offset).text).toBe(whole);
        }
      }),
      often,
    );
  });

  it("[S1] goes on exactly from each of its offsets, in pages of any size", () => {
    fc.assert(
      fc.property(saidStep, fc.integer({ min: 1, max: 40 }), (steps, budget) => {
        const live = newLive();
        sayAll(live, steps);
        live.close();
        const whole = heard(live.parts).text;
        let text = "";
        let offset = 0;
        while (offset < tapeLength(live.parts)) {
          expect(text + heard(live.parts, offset).text).toBe(whole);
          const page = heard(live.parts, offset, budget);
          expect(page.offset).toBeGreaterThan(offset);
          text += page.text;
          offset = page.offset;
        }
        expect(text).toBe(whole);
      }),
      often,
    );
  });

  it("has rising offsets, and text events within the budget but for half a pair", () => {
    fc.assert(
      fc.property(saidStep, fc.integer({ min: 1, max: 30 }), (steps, budget) => {
        const live = newLive();
        sayAll(live, steps);
        const { events } = heard(live.parts, 0, budget);
        let [last, size] = [0, 0];
        for (const { event, offset } of events) {
          expect(offset).toBeGreaterThan(last);
          last = offset;
          size += "text" in event ? event.text.length : 0;
        }
        expect(size).toBeLessThanOrEqual(budget + 1);
      }),
      often,
    );
  });

  it("parts no surrogate pair that was said as one", () => {
    const emoji = fc
      .array(fc.constantFrom("😀", "a"), { maxLength: 30 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(emoji, fc.integer({ min: 1, max: 9 }), (text, budget) => {
        const tape = tapeOf([{ type: "text", text }]);
        for (let offset = 0; offset < tapeLength(tape);) {
          const page = readTape(tape, offset, budget);
          for (const { event } of page.events)
            if ("text" in event) expect(event.text.isWellFormed()).toBe(true);
          offset = page.offset;
        }
      }),
      often,
    );
  });

  it("cuts long texts at 10,000 units, also where they came in many pieces", () => {
    const live = newLive();
    live.say("text", "x".repeat(25_000));
    expect(lengths(live.parts)).toEqual([10_000, 10_000, 5_000]);
    const crumbs = newLive();
    for (let n = 0; n < 12_000; n++) crumbs.say("text", "y");
    expect(lengths(crumbs.parts)).toEqual([10_000, 2_000]);
  });

  it("keeps what comes after an open call back until the step is whole", () => {
    const live = newLive();
    const first = live.call("a");
    live.input(first, "{");
    live.say("text", "later");
    const before = heard(live.parts);
    expect(before.text).toBe('<{"type":"tool-call-start","call":"call_7_0","name":"a"}>{');
    live.input(first, "}");
    live.close();
    expect(heard(live.parts, before.offset).text).toBe(
      '}<{"type":"tool-call-end"}><{"type":"text-start"}>later<{"type":"text-end"}>',
    );
  });

  it("ends where a made-up offset is beyond it", () => {
    fc.assert(
      fc.property(saidStep, fc.nat(500), (steps, offset) => {
        const live = newLive();
        sayAll(live, steps);
        live.close();
        const read = readTape(live.parts, offset, 1_000_000);
        expect(read.offset).toBe(Math.max(offset, tapeLength(live.parts)));
      }),
      often,
    );
  });

  it("reads a long step of small pieces in time that grows with its length only", () => {
    const live = newLive();
    let [offset, reads] = [0, 0];
    const count = () => {
      offset = readTape(live.parts, offset, 10_000).offset;
      reads++;
    };
    for (let n = 0; n < 20_000; n++) {
      live.say("text", "token ");
      if (n % 10 === 0) count();
    }
    count();
    expect({ offset, reads }).toEqual({ offset: 120_001, reads: 2_001 });
  });
});

describe("the parts of a live step", () => {
  it("join what belongs together and keep the order of everything else", () => {
    const live = newLive();
    live.say("reasoning", "a");
    live.say("reasoning", "b");
    live.sign("s");
    live.say("reasoning", "c");
    live.say("text", "");
    live.say("text", "d");
    const call = live.call("x");
    live.say("text", "e");
    live.input(call, "{}");
    const parts: StepPart[] = [
      { type: "reasoning", text: "ab", signature: "s" },
      { type: "reasoning", text: "c" },
      { type: "text", text: "d" },
      { type: "tool-call", call: "call_7_0", name: "x", input: "{}" },
      { type: "text", text: "e" },
    ];
    expect(partsOf(live)).toEqual(parts);
    expect(live.size).toBe(7 + "s".length + "x".length + parts.length * 20);
  });
});
