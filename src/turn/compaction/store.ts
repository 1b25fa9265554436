import type { EntryOf } from "../../session/entries.ts";
import {
  readState,
  writeState,
  type ContextDocument,
  type Draft,
} from "../../session/state-documents.ts";
import { isDriver, setAttempt, type RunningTurn } from "../../session/turns.ts";
import { cutAt } from "../../shared/text.ts";
import { textOf } from "../context/shorter.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import { clearedAt } from "../records/clear.ts";

/** Of the conversation's first message so much stays, whatever is compacted. */
const FIRST_CHARS = 2_000;

/**
 * Changes what the model sees, in one commit, with the facts that `make` appends, for the driver of `turn` between two of
 * its steps. A summary that waited is used then, or of no use any more. Throws `LostTurn` where another one drives the turn.
 */
export function storeContext(
  core: SessionCore,
  turn: RunningTurn,
  name: "compact" | "shorten",
  make: (tx: Tx) => ContextDocument,
): void {
  const { document, attempt } = core.commit(name, (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    const seq = core.nextSeq;
    const document = make(tx);
    writeState(core.sql, "context", document);
    if (core.context.drafted) core.sql.run("DELETE FROM state WHERE name = 'drafted'");
    // The step that comes next has its place after these facts.
    const attempt = core.nextSeq > seq ? tx.reserve() : null;
    if (attempt !== null && !setAttempt(core.sql, turn.id, core.epoch, attempt))
      throw new LostTurn();
    return { document, attempt };
  });
  if (attempt !== null) core.replaceOpen({ ...turn, attempt });
  core.context.drafted = null;
  core.context.set(document);
}

/**
 * Keeps a summary for the turn that comes next. No fact, and nothing that another object could hold in memory: between turns
 * nobody can tell which object the session belongs to.
 */
export function storeDraft(core: SessionCore, draft: Draft): void {
  core.commit("compact", () => {
    if (core.journal.isOutdated() || readState(core.sql, "deleted")) throw new LostTurn();
    writeState(core.sql, "drafted", draft);
  });
  core.context.drafted = draft;
}

/** How the conversation's first message begins, where a context from `from` on does not have it any more. */
export function firstOf(core: SessionCore, from: number): string | undefined {
  const known = core.context.document.first;
  if (known !== undefined) return known;
  const first = firstMessage(core);
  if (!first || first.seq >= from) return undefined;
  const text = textOf(first.content).trim();
  const head = cutAt(text, FIRST_CHARS);
  return head === "" ? undefined : head.length < text.length ? `${head}…` : head;
}

function firstMessage(core: SessionCore): EntryOf<"user"> | null {
  const { journal } = core;
  let entry = journal.first(clearedAt(core) + 1);
  while (entry && entry.kind !== "user") entry = journal.first(entry.seq + 1);
  return entry;
}

/** How many turns have ended since this seq, as far as they are still in the context. */
export const turnsSince = ({ context }: SessionCore, seq: number): number =>
  context.entries.filter((entry) => entry.kind === "end" && entry.seq > seq).length;
