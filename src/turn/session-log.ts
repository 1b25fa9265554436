import { CarrelError } from "../shared/errors.ts";
import { sessionKey } from "../shared/ids.ts";
import { cutAt } from "../shared/text.ts";
import type { Change } from "../shared/workspace-changes.ts";
import type { Capability, EndedTurnScope } from "./capability.ts";

/** UTF-16 units of text in one append, so that its bytes stay below 1 MiB whatever it says. */
const APPEND_CHARS = 300_000;

/**
 * Exports what was said: after each turn its journal entries go to `agents/<agent>/sessions/<session>.log.jsonl`, one
 * whole entry a line, and the session's line in `sessions.json` beside it is brought up to date. Each entry is there
 * once, however often the work is done. Format: `docs/session-files.md`.
 */
export const sessionLog: Capability = {
  name: "session-log",
  async afterTurn(scope, entries) {
    const { agent, session } = scope.address;
    const directory = `agents/${agent}/sessions`;
    const endedAt = entries.at(-1)?.at ?? 0;
    const pages = pagesOf(entries.map((entry) => `${JSON.stringify(entry)}\n`));
    const index: Change = {
      kind: "merge",
      path: `${directory}/sessions.json`,
      patch: {
        version: 1,
        sessions: {
          [session]: { summary: scope.opening, updatedAt: new Date(endedAt).toISOString() },
        },
      },
    };
    for (const [no, page] of pages.entries()) {
      const appends = cut(page).map((text): Change => ({
        kind: "append",
        path: `${directory}/${session}.log.jsonl`,
        text,
      }));
      // With its time, a session that is begun anew under its old name is not taken for the one before.
      const op = `log/${sessionKey(scope.address)}${scope.turn}/${endedAt}/${no}`;
      await change(scope, op, appends, no === pages.length - 1 ? index : null);
    }
  },
};

/** An index that cannot be written (it is too large, or spoilt by hand) must not keep the log from being written. */
async function change(
  scope: EndedTurnScope,
  op: string,
  appends: readonly Change[],
  index: Change | null,
): Promise<void> {
  const request = { by: "job:session-log", op };
  try {
    await scope.workspace.change({ ...request, changes: index ? [...appends, index] : appends });
  } catch (error) {
    const isRefused = error instanceof CarrelError && error.code !== "overloaded";
    if (!index || !isRefused) throw error;
    await scope.workspace.change({ ...request, changes: appends });
  }
}

/** Whole lines, as many as one append takes; a longer line is a page alone, so that no line is ever there in part. */
function pagesOf(lines: readonly string[]): string[] {
  const pages: string[] = [];
  let page = "";
  for (const line of lines) {
    if (page !== "" && page.length + line.length > APPEND_CHARS) {
      pages.push(page);
      page = "";
    }
    page += line;
  }
  return page === "" ? pages : [...pages, page];
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== "";) {
    const piece = cutAt(rest, APPEND_CHARS);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}
