import { CarrelError } from "../../shared/errors.ts";
import { NO_TURN } from "../../session/entries.ts";
import { emptyContext, readState, writeState } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";

/**
 * Begins the conversation anew, committed when this returns: the model and the history see nothing of what was said
 * before. Permissions, the title and carried parts of a state stay, and so do the session's log and its events. Throws
 * `CarrelError('conflict')` while a turn is not ended. Where nothing was said since the last time, nothing changes.
 */
export function clearSession(core: SessionCore, by: string): void {
  if (core.open.length > 0)
    throw new CarrelError("conflict", "A turn is not ended. Stop it first, or wait for its end.");
  if (isClear(core)) return;
  core.commit("clear", (tx) => {
    const { seq } = tx.append(NO_TURN, { kind: "cleared", by: `user:${by}` });
    writeState(core.sql, "cleared", { seq });
    const before = readState(core.sql, "context") ?? {};
    writeState(core.sql, "context", emptyContext(seq + 1, before));
    core.sql.run("DELETE FROM state WHERE name = 'drafted'");
  });
  core.reloadContext();
}

/** The seq at which the conversation last began anew; 0 when it never did. */
export const clearedAt = (core: SessionCore): number => readState(core.sql, "cleared")?.seq ?? 0;

function isClear(core: SessionCore): boolean {
  if (core.summary !== "") return false;
  for (const entry of core.journal.backwards(core.nextSeq))
    if (entry.turn !== NO_TURN || entry.kind === "cleared") return entry.kind === "cleared";
  return true;
}
