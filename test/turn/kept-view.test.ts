import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EntryOf, JournalEntry } from "../../src/session/entries.ts";
import type { ContextDocument } from "../../src/session/state-documents.ts";
import { groupTurns, toModelMessages } from "../../src/session/transcript.ts";
import { chooseCut } from "../../src/turn/compaction/cut.ts";
import { isWithdrawn } from "../../src/turn/compaction/take-back.ts";
import { Measure } from "../../src/turn/compaction/size.ts";
import { withLead } from "../../src/turn/context/context-messages.ts";
import {
  isKept,
  keptBefore,
  keptText,
  liveResults,
  sparedBelow,
  withoutOldest,
  type KeptContext,
} from "../../src/turn/context/kept.ts";
import { View } from "../../src/turn/context/view.ts";
import { journals, often } from "../session/arbitraries.ts";
import { messageViolations } from "../support/message-invariants.ts";

/** A journal in which every result that succeeded has one of three names. */
const named: fc.Arbitrary<JournalEntry[]> = fc
  .tuple(journals, fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }))
  .map(([entries, names]) =>
    entries.map((entry, at) => {
      if (entry.kind !== "result") return entry;
      const text = `${entry.call} ${"x".repeat(3_000)}`;
      return { ...entry, keep: `k${names[at % 40]}`, content: [{ type: "text", text }] };
    }),
  );

type Change = { readonly turn: number; readonly keep: number; readonly prune: boolean };

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ turn: fc.nat(5), keep: fc.constantFrom(0, 1_200, 4_000), prune: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
);

/** What a context is after such changes, each made while some turn went on. */
class Told {
  readonly viewer = new View({ truncateArgs: null, prune: { ...prune, maxChars: 10 } });
  readonly measure = new Measure();
  readonly all: readonly JournalEntry[];
  entries: readonly JournalEntry[] = [];
  document: ContextDocument = { from: 0 };

  constructor(all: readonly JournalEntry[]) {
    this.all = all;
  }

  get context(): KeptContext {
    const { document, entries } = this;
    const kept = this.all.filter(isKept).filter(({ seq }) => document.kept?.includes(seq));
    return { document, kept, entries };
  }

  /** Goes on to where this turn is the newest one. */
  goTo(turn: EntryOf<"user">): void {
    const next = this.all.find((entry) => entry.kind === "user" && entry.seq > turn.seq);
    this.entries = this.all.filter(({ seq }) => seq < (next?.seq ?? Infinity));
    this.takeBack();
  }

  change(turn: EntryOf<"user">, { keep, prune: isPruned }: Change): void {
    const running = { id: turn.turn, start: turn.seq };
    const { context, document, entries } = this;
    const live = liveResults(context, running);
    if (isPruned) {
      const pruned = Math.max(document.pruned ?? 0, (entries.at(-1)?.seq ?? 0) + 1);
      this.document = { ...document, pruned, ...sparedBelow(pruned, live, document) };
      return;
    }
    const view = this.viewer.of(entries, document);
    const within = { tokens: keep, messages: Infinity, chars: Infinity };
    const cut = chooseCut(entries, view, document.from, within, this.measure);
    if (!cut) return;
    const { uncut, ...now } = document;
    const before = now.turn === cut.turn ? uncut : now;
    const start = cut.turn === undefined ? {} : { turn: cut.turn };
    const stay = (document.spared ?? []).filter((seq) => seq >= cut.from);
    this.document = {
      from: cut.from,
      ...start,
      ...(cut.turn !== undefined && before ? { uncut: before } : {}),
      ...keptBefore(context, cut, running),
      ...(document.pruned === undefined ? {} : { pruned: document.pruned }),
      ...(stay.length > 0 ? { spared: stay } : {}),
    };
  }

  /** The newest result of each name that is not shown as it was given, and is named nowhere. */
  missing(): string[] {
    const { context, document, entries } = this;
    const view = new Set(this.viewer.of(entries, document));
    const shown = new Set([...view, ...context.kept]);
    const newest = new Map<string, JournalEntry>();
    for (const { entries: own } of groupTurns(entries))
      for (const entry of own.filter(isKept)) newest.set(entry.keep, entry);
    return [...newest].flatMap(([name, entry]) => (shown.has(entry) ? [] : [name]));
  }

  /** The answer of this turn is given anew. */
  answerAnew(turn: EntryOf<"user">): void {
    const seq = (this.entries.at(-1)?.seq ?? 0) + 10;
    const again: JournalEntry = { ...turn, seq, turn: "again", replaces: turn.turn };
    this.entries = [...this.entries, again];
    this.takeBack();
  }

  /** What happens when the turn begins that gives an answer anew. */
  takeBack(): void {
    const { uncut, turn } = this.document;
    if (uncut && isWithdrawn(this.entries, turn)) this.document = uncut;
  }
}

const prune = { protectTokens: 0, minimumTokens: 0, maxChars: 10, excludedTools: [] };

const usersOf = (entries: readonly JournalEntry[]) =>
  groupTurns(entries).flatMap((turn) => turn.entries.filter((entry) => entry.kind === "user"));

describe("results that are kept", () => {
  it("[K3, C6, T6, T13] are all there after any cuts and prunings, also when the newest answer is given anew", () => {
    fc.assert(
      fc.property(named, changes, (all, made) => {
        const told = new Told(all);
        const users = all.filter((entry) => entry.kind === "user");
        let at = 0;
        for (const change of made) {
          at = Math.min(users.length - 1, Math.max(at, change.turn));
          const turn = users[at];
          if (!turn) return;
          told.goTo(turn);
          told.change(turn, change);
          expect(told.missing()).toEqual([]);
          const { document, context, entries } = told;
          const messages = toModelMessages(told.viewer.of(entries, document));
          const kept = keptText(context.kept, document);
          expect(messageViolations([...withLead(document, messages, kept)])).toEqual([]);
        }
        const newest = usersOf(told.entries).at(-1);
        if (!newest || newest.seq !== users[at]?.seq) return;
        told.answerAnew(newest);
        expect(told.missing()).toEqual([]);
      }),
      often,
    );
  });

  it("[K3] go one by one, the oldest first, and none that stays is changed", () => {
    fc.assert(
      fc.property(named, changes, (all, made) => {
        const told = new Told(all);
        const turn = all.findLast((entry) => entry.kind === "user");
        if (!turn) return;
        told.goTo(turn);
        for (const change of made) told.change(turn, change);
        const running = { id: turn.turn, start: turn.seq };
        for (let live = liveResults(told.context, running); live.length > 0;) {
          const [oldest, ...rest] = live;
          told.document = withoutOldest(told.document, live);
          live = liveResults(told.context, running);
          expect(live).toEqual(rest);
          const { document, entries } = told;
          const shown = told.viewer.of(entries, document);
          for (const { seq } of rest.filter((one) => one.seq >= document.from))
            expect(shown).toContain(entries.find((entry) => entry.seq === seq));
          expect(shown).not.toContain(oldest);
        }
      }),
      often,
    );
  });
});
