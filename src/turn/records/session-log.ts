import { CarrelError } from "../../shared/errors.ts";
import { sessionKey } from "../../shared/ids.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import { cutAt } from "../../shared/text.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { AfterTurnsScope, Capability, EndedTurn } from "../capability.ts";
import { sessionFiles } from "./session-files.ts";

/** UTF-16 units of text in one append, so that its bytes stay below 1 MiB whatever it says. */
const APPEND_CHARS = 300_000;
/** The same of one request, far more than a batch of turns has as a rule; one line alone may be longer. */
const REQUEST_CHARS = 4_000_000;

type Append = Extract<Change, { readonly kind: "append" }>;

/**
 * Exports what was said: the journal entries of ended turns go to `agents/<agent>/sessions/<session>.log.jsonl`, one
 * whole entry a line, and the session's line in `sessions.json` beside it is brought up to date, all in one request.
 * Each entry is there once, however often the work is done and with whichever other turns. Format:
 * `docs/session-files.md`.
 */
export const sessionLog: Capability = {
  name: "session-log",
  async afterTurns(scope, turns) {
    const requests = requestsOf(turns.flatMap((turn) => appendsOf(scope, turn)));
    const endedAt = turns.at(-1)?.entries.at(-1)?.at ?? 0;
    const index = sessionLine(scope.address, scope.title, endedAt);
    for (const [no, appends] of requests.entries())
      await change(scope, appends, no === requests.length - 1 ? index : null);
  },
};

/** The session's line in `sessions.json`; the last one that is written holds. */
export function sessionLine(address: SessionAddress, title: string, endedAt: number): Change {
  const line = { summary: title, updatedAt: new Date(endedAt).toISOString() };
  return {
    kind: "merge",
    path: sessionFiles(address).index,
    patch: { version: 1, sessions: { [address.session]: line } },
  };
}

/** An index that cannot be written (it is too large, or spoilt by hand) must not keep the log from being written. */
async function change(
  scope: AfterTurnsScope,
  appends: readonly Append[],
  index: Change | null,
): Promise<void> {
  const by = "job:session-log";
  try {
    await scope.workspace.change({ by, changes: index ? [...appends, index] : appends });
  } catch (error) {
    const isRefused = error instanceof CarrelError && error.code !== "overloaded";
    if (!index || !isRefused) throw error;
    await scope.workspace.change({ by, changes: appends });
  }
}

/**
 * What a turn adds, as parts that go together: each is done once, whatever request it comes in. With the time of its
 * end, a session that is begun anew under its old name is not taken for the one before.
 */
function appendsOf(scope: AfterTurnsScope, { turn, entries }: EndedTurn): Append[][] {
  const path = sessionFiles(scope.address).log;
  const op = `log/${sessionKey(scope.address)}${turn}/${entries.at(-1)?.at ?? 0}`;
  const pages = pagesOf(entries.map((entry) => `${JSON.stringify(entry)}\n`));
  return pages.map((page, no) =>
    cut(page).map((text, piece): Append => {
      return { kind: "append", path, text, op: `${op}/${no}.${piece}` };
    }),
  );
}

/** Nearly always one: parts that go together are never parted. */
function requestsOf(parts: readonly (readonly Append[])[]): Append[][] {
  const requests: Append[][] = [];
  let room = 0;
  for (const part of parts) {
    const chars = part.reduce((sum, { text }) => sum + text.length, 0);
    if (chars > room) {
      requests.push([]);
      room = REQUEST_CHARS;
    }
    requests.at(-1)?.push(...part);
    room -= chars;
  }
  return requests;
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
