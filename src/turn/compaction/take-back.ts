import type { JournalEntry } from "../../session/entries.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import type { RunningTurn } from "../../session/turns.ts";
import type { SessionCore } from "../core.ts";
import { storeContext } from "./store.ts";

/** Whether the answer of the turn whose user entry has this seq is given anew. */
export function isWithdrawn(entries: readonly JournalEntry[], seq: number | undefined): boolean {
  const user = entries.find((entry) => entry.kind === "user" && entry.seq === seq);
  return entries.some(
    (entry) => entry.kind === "user" && user !== undefined && entry.replaces === user.turn,
  );
}

/**
 * Where the context begins inside a turn whose answer is given anew, it becomes what it was before: a summary tells of that
 * answer. Done again it changes nothing. Throws `LostTurn` where another object drives the turn.
 */
export function takeBack(core: SessionCore, turn: RunningTurn): void {
  const { document, entries } = core.context;
  const { uncut, ...now } = document;
  if (uncut === undefined || !isWithdrawn(entries, now.turn)) return;
  storeContext(core, turn, "compact", () => ({
    ...uncut,
    ...known(now),
    changed: core.nextSeq - 1,
  }));
  // What it had left out is not held.
  core.reloadContext();
}

/** What stays true whatever a context begins with. */
const known = ({
  last,
  compacted,
  learned,
}: ContextDocument): Pick<ContextDocument, "last" | "compacted" | "learned"> => ({
  ...(last === undefined ? {} : { last }),
  ...(compacted === undefined ? {} : { compacted }),
  ...(learned === undefined ? {} : { learned }),
});
