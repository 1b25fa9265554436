import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { groupTurns, toModelMessages } from "../../src/session/transcript.ts";
import { estimateMessageTokens } from "../../src/context/tokens.ts";
import {
  chooseWatermark,
  defaultWindow,
  type WindowOptions,
} from "../../src/turn/context/window.ts";
import { messageViolations } from "../support/message-invariants.ts";
import { journals, often } from "../session/arbitraries.ts";
import { waitingLab } from "./asking-lab.ts";
import { SessionLab } from "./session-lab.ts";

const options: fc.Arbitrary<WindowOptions> = fc.record({
  triggerMessages: fc.integer({ min: 1, max: 12 }),
  triggerChars: fc.constant(8_000_000),
  triggerTokens: fc.integer({ min: 20, max: 200 }),
  keepMessages: fc.integer({ min: 0, max: 6 }),
});

const measure = (entries: readonly JournalEntry[]) => {
  const messages = groupTurns(entries).flatMap((turn) => toModelMessages(turn.entries));
  return {
    messages: messages.length,
    tokens: messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0),
  };
};

describe("the start of the context", () => {
  it("[T6] is moved to the start of a turn, and what is left is valid", () => {
    fc.assert(
      fc.property(journals, options, (entries, window) => {
        const from = chooseWatermark(entries, window);
        if (from === null) return;
        const kept = entries.filter(({ seq }) => seq >= from);
        expect(kept[0]).toMatchObject({ kind: "user", seq: from });
        expect(messageViolations(toModelMessages(kept))).toEqual([]);
      }),
      often,
    );
  });

  it("always leaves the newest turn, whatever its size", () => {
    fc.assert(
      fc.property(journals, options, (entries, window) => {
        const from = chooseWatermark(entries, window) ?? 0;
        const newest = entries.findLast(({ kind }) => kind === "user");
        expect(newest?.seq).toBeGreaterThanOrEqual(from);
      }),
      often,
    );
  });

  it("is the same when the sizes of ended turns are remembered", () => {
    fc.assert(
      fc.property(journals, options, (entries, window) => {
        const sizes = new WeakMap();
        for (let end = 1; end <= entries.length; end++) {
          const sofar = entries.slice(0, end);
          expect(chooseWatermark(sofar, window, sizes)).toBe(chooseWatermark(sofar, window));
        }
      }),
      often,
    );
  });

  it("is moved only when there is too much, and then so far that there is not", () => {
    fc.assert(
      fc.property(journals, options, (entries, window) => {
        const before = measure(entries);
        const isTooMuch =
          before.messages > window.triggerMessages || before.tokens > window.triggerTokens;
        const from = chooseWatermark(entries, window);
        if (!isTooMuch) expect(from).toBeNull();
        if (from === null) return;
        const kept = entries.filter(({ seq }) => seq >= from);
        const after = measure(kept);
        const isOneTurn = groupTurns(kept).length === 1;
        expect(isOneTurn || after.messages <= window.keepMessages).toBe(true);
        expect(isOneTurn || after.tokens <= window.triggerTokens / 2).toBe(true);
      }),
      often,
    );
  });

  it("gives the same with sizes it remembers", () => {
    const sizes = new WeakMap();
    fc.assert(
      fc.property(journals, options, (entries, window) => {
        const fresh = chooseWatermark(entries, window);
        expect(chooseWatermark(entries, window, sizes)).toBe(fresh);
        expect(chooseWatermark(entries, window, sizes)).toBe(fresh);
      }),
      often,
    );
  });

  it("[T12] bounds what a model is asked in a long session, and stays after the object is gone", async () => {
    const lab = new SessionLab();
    for (let n = 0; n < 120; n++) {
      if (n % 7 === 0) lab.restart();
      lab.say(`t${n}`, `message ${n}`);
      await lab.settle();
    }
    const sizes = lab.witness.requests.map(({ messages }) => messages.length);
    expect(sizes).toHaveLength(120);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(defaultWindow.triggerMessages);
    expect(Math.min(...sizes.slice(60))).toBeGreaterThanOrEqual(defaultWindow.keepMessages - 1);
    expect(lab.session.history({ limit: 1_000 }).messages).toHaveLength(240);
  });

  it("[T12] is moved past answers that were given anew, which nobody sees any more", async () => {
    const lab = new SessionLab();
    lab.say("first", "hi");
    await lab.settle();
    for (let n = 0; n < 400; n++) {
      lab.say(`again${n}`, { kind: "regenerate" });
      await lab.settle();
    }
    const [context] = lab.sql.all<{ body: string }>(
      "SELECT body FROM state WHERE name = 'context'",
    );
    expect(JSON.parse(context?.body ?? "{}").from).toBeGreaterThan(900);
    expect(lab.witness.requests.at(-1)?.messages).toHaveLength(1);
  });

  it("[T12] holds no permissions, however often they are changed", async () => {
    const lab = await waitingLab("one");
    const list = (name: string) =>
      Array.from({ length: 100 }, (_, no) => ({ tool: `${name}${no}`, path: "y".repeat(400) }));
    const all = lab.sql.all.bind(lab.sql);
    let read = 0;
    const counted: typeof all = (query, ...params) => {
      const rows = all(query, ...params);
      read += JSON.stringify(rows).length;
      return rows as never[];
    };
    Object.assign(lab.sql, { all: counted });
    /** The characters that another object reads to go on with the turn. */
    const readAgain = async (): Promise<number> => {
      lab.again();
      read = 0;
      lab.session.setPermissions({ mode: "ACCEPT_EDITS" }, "ann");
      lab.session.setPermissions({ mode: "DEFAULT" }, "ann");
      await lab.settle();
      return read;
    };
    lab.session.setPermissions({ allow: list("first") }, "ann");
    await lab.settle();
    const before = await readAgain();
    for (let n = 0; n < 30; n++) {
      lab.session.setPermissions({ allow: list(`n${n % 10}`) }, "ann");
      await lab.settle();
    }
    expect(await readAgain()).toBeLessThan(before + 20_000);
    expect(lab.facts("permissions").split(" ")).toHaveLength(35);
  });

  it("bounds images by their bytes, which no token tells", () => {
    const image = { type: "image", mediaType: "image/png", data: "A".repeat(900_000) } as const;
    const entries = Array.from({ length: 10 }, (_, at): JournalEntry[] => [
      { seq: 3 * at + 1, turn: `t${at}`, at, kind: "user", content: [image] },
      {
        seq: 3 * at + 3,
        turn: `t${at}`,
        at,
        kind: "end",
        outcome: "completed",
        usage: noUsage,
        steps: 0,
      },
    ]).flat();
    expect(chooseWatermark(entries.slice(0, 16), defaultWindow)).toBeNull();
    expect(chooseWatermark(entries, defaultWindow)).toBe(19);
  });
});
