import { NO_TURN, type JournalEntry } from "../../session/entries.ts";
import { cutAt, indentRest } from "../../shared/text.ts";
import { isOwnTool } from "../../tools/own-tools.ts";
import type { LaterScope } from "../../turn/capability.ts";

/** How far a session was read. */
export type Cursor = {
  /** All up to this seq was. */
  readonly seq: number;
  /** And of what the next entry that says something says, so many UTF-16 units. */
  readonly within?: number | undefined;
  /** The turn that was read in part has results from outside. */
  readonly outside?: true | undefined;
};

/** A stretch of a conversation that is read at once. */
export type Stretch = {
  /** What was said, as lines `[USER]: …` and `[ASSISTANT]: …`; further lines of a message are indented. May be empty. */
  readonly text: string;
  /** Where the next one begins. */
  readonly cursor: Cursor;
  /** Seqs of the first and the last entry that says something in it. */
  readonly seq: readonly [number, number];
  /** The last turn of it. */
  readonly turn: string;
  readonly turns: number;
  /**
   * When the oldest of it was said (ms): when its first turn began, or the one whose answer that gives anew. 0 where that is
   * not known, as part of it was read before.
   */
  readonly saidAt: number;
  /** Whether a tool's result from outside came before anything that was said here, in its turn. */
  readonly outside: boolean;
};

type Piece = {
  readonly seq: number;
  readonly role: "USER" | "ASSISTANT";
  /** Where in what the entry says it begins. */
  readonly from: number;
  readonly text: string;
};

/** A turn as far as it was looked at. */
type Reading = {
  readonly turn: string;
  /** As of a stretch. */
  readonly saidAt: number;
  /** Some of it was read before: it is read to its end, also when its answer was given anew. */
  readonly isUnderWay: boolean;
  /** Its message was read before, with the answer that it gives anew. */
  readonly isKnown: boolean;
  /** Those that may be read at once. */
  readonly pieces: Piece[];
  /** UTF-16 units of all pieces. */
  chars: number;
  /** Its newest entry that may be read. */
  last: number;
  isWhole: boolean;
  /** Something was forgotten in it: what was said about that must not be remembered again. */
  isMute: boolean;
  /** The first seq after which it has results from outside. */
  outsideFrom: number;
};

export type Bounds = { readonly cursor: Cursor; readonly upTo: number; readonly chars: number };

/**
 * What user and assistant said after `cursor`, up to the seq `upTo`: whole turns, as many as have at most so many
 * characters; of one that is longer alone, a part. Not what a tool, an attached file or Carrel itself said, nor an answer
 * that was given anew, nor a turn in which something was forgotten. `null` where nothing is left to read.
 */
export function readSaid(
  scope: Pick<LaterScope, "entries" | "ended">,
  bounds: Bounds,
): Stretch | null {
  const turns = lookAt(scope, bounds);
  const [first] = turns;
  if (!first) return null;
  return first.chars > bounds.chars ? partOf(first, bounds) : wholeTurns(turns, bounds);
}

/** The turns from the cursor on, one at least, until their characters are enough; looks on to the start of the next. */
function lookAt(
  scope: Pick<LaterScope, "entries" | "ended">,
  { cursor, upTo, chars }: Bounds,
): readonly Reading[] {
  let turns: Reading[] = [];
  const looked: Reading[] = [];
  for (const entry of entriesAfter(scope, cursor.seq)) {
    const current = looked.at(-1);
    if (current?.turn === entry.turn) {
      if (entry.seq <= upTo) take(current, entry, { cursor, upTo, chars });
      continue;
    }
    const before = entry.kind === "user" && entry.replaces === current?.turn ? current : undefined;
    if (before && !before.isUnderWay) turns = turns.filter((turn) => turn !== before);
    const isEnough = turns.reduce((sum, turn) => sum + turn.chars, 0) >= chars;
    if (isEnough || entry.seq > upTo) break;
    const next = beginTurn(entry, before, current ? null : cursor);
    take(next, entry, { cursor, upTo, chars });
    looked.push(next);
    turns.push(next);
  }
  return turns;
}

/** `before`: the turn whose answer it gives anew, where that was looked at. `cursor`: where the first turn begins. */
function beginTurn(
  entry: JournalEntry,
  before: Reading | undefined,
  cursor: Cursor | null,
): Reading {
  const isUnderWay = cursor !== null && (entry.kind !== "user" || cursor.within !== undefined);
  const isAgain = entry.kind === "user" && entry.replaces !== undefined;
  const begunAt = entry.kind === "user" ? entry.at : 0;
  return {
    turn: entry.turn,
    saidAt: isAgain ? (before?.saidAt ?? 0) : begunAt,
    isUnderWay,
    isKnown: isAgain && (!before || before.isKnown || before.isUnderWay),
    pieces: [],
    chars: 0,
    last: 0,
    isWhole: false,
    isMute: false,
    outsideFrom: isUnderWay && cursor?.outside ? 0 : Infinity,
  };
}

/** Entries of turns, up to the end of the newest turn that is ready. */
function* entriesAfter(
  { entries, ended }: Pick<LaterScope, "entries" | "ended">,
  seq: number,
): Iterable<JournalEntry> {
  for (let page = entries(seq + 1); page.length > 0; page = entries((page.at(-1)?.seq ?? 0) + 1)) {
    for (const entry of page) {
      if (entry.seq > ended) return;
      if (entry.turn !== NO_TURN) yield entry;
    }
  }
}

function take(turn: Reading, entry: JournalEntry, { cursor, chars }: Bounds): void {
  turn.last = entry.seq;
  turn.isWhole = entry.kind === "end";
  if (entry.kind === "result" && !isOwnTool(entry.name))
    turn.outsideFrom = Math.min(turn.outsideFrom, entry.seq);
  if (entry.kind === "result" && entry.name === "memory_forget" && entry.status === "success") {
    turn.isMute = true;
    turn.pieces.length = 0;
    turn.chars = 0;
  }
  const said = saidIn(entry, turn);
  if (said.trim() === "" || turn.isMute) return;
  const isFirst = turn.isUnderWay && turn.chars === 0;
  const from = isFirst ? (cursor.within ?? 0) : 0;
  const text = said.slice(from);
  const role = entry.kind === "step" ? "ASSISTANT" : "USER";
  if (turn.chars <= chars && text.trim() !== "")
    turn.pieces.push({ seq: entry.seq, role, from, text });
  turn.chars += text.length;
}

function saidIn(entry: JournalEntry, { isKnown }: Reading): string {
  if (entry.kind === "step") return textOf(entry.parts);
  if (entry.kind === "steered") return textOf(entry.content);
  return entry.kind === "user" && !isKnown ? textOf(entry.content) : "";
}

const textOf = (parts: readonly { readonly type: string; readonly text?: string }[]): string =>
  parts.flatMap(({ type, text }) => (type === "text" && text ? [text] : [])).join("\n");

function wholeTurns(turns: readonly Reading[], { chars }: Bounds): Stretch {
  let room = chars;
  const fit = turns.filter((turn) => (room -= turn.chars) >= 0);
  const last = fit.at(-1);
  const isOutside = fit.some(({ outsideFrom, pieces }) => isAfter(pieces, outsideFrom));
  const goesOn = last && !last.isWhole && last.outsideFrom < Infinity;
  const cursor: Cursor = { seq: last?.last ?? 0, ...(goesOn ? { outside: true } : {}) };
  return stretch(
    fit.flatMap(({ pieces }) => pieces),
    {
      cursor,
      turn: last?.turn ?? "",
      turns: fit.length,
      saidAt: oldestOf(fit),
      outside: isOutside,
    },
  );
}

const oldestOf = (turns: readonly Reading[]): number =>
  turns.reduce(
    (oldest, { pieces, saidAt }) => (pieces.length > 0 ? Math.min(oldest, saidAt) : oldest),
    Infinity,
  );

/** As much of a long turn as fits. */
function partOf(turn: Reading, { cursor, chars }: Bounds): Stretch {
  const pieces: Piece[] = [];
  let room = chars;
  let end: Cursor = cursor;
  for (const piece of turn.pieces) {
    if (piece.text.length <= room) {
      pieces.push(piece);
      room -= piece.text.length;
      end = { seq: piece.seq };
      continue;
    }
    const text = atWord(cutAt(piece.text, room));
    if (text !== "") {
      pieces.push({ ...piece, text });
      end = { seq: piece.seq - 1, within: piece.from + text.length };
    }
    break;
  }
  const outside = isAfter(pieces, turn.outsideFrom);
  const { seq, within } = end;
  const next: Cursor = {
    seq,
    ...(within === undefined ? {} : { within }),
    ...(outside ? { outside: true } : {}),
  };
  const { turn: id, saidAt } = turn;
  return stretch(pieces, { cursor: next, turn: id, turns: 1, saidAt, outside });
}

/** Without the beginning of a word that goes on, where one ends near enough. */
function atWord(text: string): string {
  const at = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n")) + 1;
  return at > text.length - 200 && at > 0 ? text.slice(0, at) : text;
}

const isAfter = (pieces: readonly Piece[], seq: number): boolean =>
  pieces.some((piece) => piece.seq > seq);

function stretch(all: readonly Piece[], rest: Omit<Stretch, "text" | "seq">): Stretch {
  const pieces = all.filter((piece) => piece.text.trim() !== "");
  const text = pieces.map((piece) => `[${piece.role}]: ${indentRest(piece.text)}`).join("\n");
  return { ...rest, text, seq: [pieces[0]?.seq ?? 0, pieces.at(-1)?.seq ?? 0] };
}
