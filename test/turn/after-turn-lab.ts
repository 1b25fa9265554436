import type { JournalEntry } from "../../src/session/entries.ts";
import { AFTER_MS } from "../../src/turn/after/after-turn.ts";
import type { Capability } from "../../src/turn/capability.ts";
import type { SessionLab } from "./session-lab.ts";

/** Work after turns that does what `work` says, and notes that it began: the turns of a batch as `a b c`. */
export function capability(work: (turns: string) => Promise<void>) {
  const begun: string[] = [];
  const given: (readonly JournalEntry[])[] = [];
  const after: Capability = {
    name: "after",
    async afterTurns(_scope, turns) {
      const ids = turns.map(({ turn }) => turn).join(" ");
      begun.push(ids);
      given.push(...turns.map(({ entries }) => entries));
      await work(ids);
    },
  };
  return { begun, given, after };
}

/** Until the work begins, and what it does at once. */
export const quiet = (lab: SessionLab): Promise<void> => lab.clock.pass(AFTER_MS);

/** As many turns at once, named `t1`, `t2`, … */
export async function sayMany(lab: SessionLab, count: number): Promise<void> {
  for (let no = 1; no <= count; no++) {
    lab.say(`t${no}`, "hi");
    await lab.settle();
  }
}

export const names = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `t${from + at}`).join(" ");

export const done = () => Promise.resolve();

/** A promise that is kept from outside. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
