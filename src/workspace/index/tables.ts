import * as z from "zod";
import type { Sql } from "../../shared/sql.ts";
import { cutAt } from "../../shared/text.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { Unit } from "./units.ts";
import { textWords } from "./words.ts";

/** A file that is in the index, as far as its first `lines` lines were read. */
export type IndexedRow = {
  readonly path: WorkspacePath;
  /** Names its units: unit `at` is `no * UNITS + at` everywhere. Of another incarnation of the file it is another one. */
  readonly no: number;
  /** As it was when it was read. */
  readonly etag: string;
  /** Whether all of it was. */
  readonly whole: boolean;
  readonly lines: number;
  /** A hash of the last of these lines, to tell a log that grew from another one of its name. */
  readonly last: string;
  /** Lines of a log, in order, that are not to be found: joined by commas. */
  readonly hidden: string;
};

/** What is kept of each unit in memory. */
export type UnitFacts = { readonly lengths: readonly number[]; readonly times: readonly number[] };

/** A file of the index, with what is kept in memory of its units. Never changed: another one takes its place. */
export type HeldFile = IndexedRow & UnitFacts;

/** A unit as it is shown. */
export type Excerpt = Pick<Unit, "line" | "end" | "text" | "said">;

/** More units than a file can have. */
export const UNITS = 2 ** 24;

/** Text of a unit that is searched, and that is kept to be shown, in UTF-16 units. */
const SEARCHED_CHARS = 20_000;
const SHOWN_CHARS = 1_200;
/** Units in one row. */
const ROW_UNITS = 64;
/** A word counts at most so often in one unit: more would say no more. */
const MOST_OFTEN = 15;
/** Units that are found at once: their numbers make up one value, which may have 2 MB. */
const FOUND = 50_000;

/** A word that stands somewhere for the second time is another word there, so that it is known how often it does. */
const nth = (word: string, count: number): string => (count === 1 ? word : `${word}_${count}`);

/** Files of the index by path, with what is kept in memory of their units. */
export function loadIndex(sql: Sql): Map<WorkspacePath, HeldFile> {
  type Stored = Omit<IndexedRow, "whole"> & { readonly whole: number };
  const facts = new Map<number, { lengths: number[]; times: number[] }>();
  const rows = "SELECT id, lengths, times FROM excerpt ORDER BY id";
  for (const { id, lengths, times } of sql.each<Row>(rows)) {
    const no = Math.floor(id / UNITS);
    const held = facts.get(no) ?? { lengths: [], times: [] };
    const found = numbersIn(lengths);
    held.lengths.push(...found);
    held.times.push(...spread(numbersIn(times), found.length));
    facts.set(no, held);
  }
  return new Map(
    sql
      .all<Stored>("SELECT * FROM indexed")
      .map((row) => [
        row.path,
        { ...row, whole: row.whole === 1, ...(facts.get(row.no) ?? { lengths: [], times: [] }) },
      ]),
  );
}

type Row = { readonly id: number; readonly lengths: string; readonly times: string };

const numbersIn = (list: string): number[] => list.split(",").map(Number);

/** One time stands for all units of the row where they have the same; `NaN` is none. */
const spread = (times: readonly number[], count: number): readonly number[] =>
  times.length === count ? times : Array.from({ length: count }, () => times[0] ?? Number.NaN);

/** Says how far a file is in the index, in the place of what was said before. */
export function writeIndexed(sql: Sql, row: IndexedRow): void {
  sql.run(
    "INSERT OR REPLACE INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?)",
    row.path,
    row.no,
    row.etag,
    row.whole ? 1 : 0,
    row.lines,
    row.last,
    row.hidden,
  );
}

/** Adds units to a file that has `first` of them. */
export function writeUnits(sql: Sql, no: number, first: number, units: readonly Unit[]): UnitFacts {
  const lengths = units.map((unit, at) => writeWords(sql, no * UNITS + first + at, unit));
  const times = units.map(({ at }) => at ?? Number.NaN);
  for (let from = 0; from < units.length; from += ROW_UNITS) {
    const part = times.slice(from, from + ROW_UNITS);
    const isOne = part.every((time) => Object.is(time, part[0]));
    sql.run(
      "INSERT INTO excerpt(id, lengths, times, units) VALUES (?, ?, ?, ?)",
      no * UNITS + first + from,
      lengths.slice(from, from + ROW_UNITS).join(),
      isOne ? String(part[0]) : part.join(),
      JSON.stringify(units.slice(from, from + ROW_UNITS).map(packed)),
    );
  }
  return { lengths, times };
}

/** How many words it has that say something. */
function writeWords(sql: Sql, id: number, { text, about }: Unit): number {
  if (text === "") return 0;
  const { words, common } = textWords(`${cutAt(text, SEARCHED_CHARS)}\n${about}`);
  const often = new Map<string, number>();
  const all = [...common];
  for (const word of words) {
    const count = (often.get(word) ?? 0) + 1;
    often.set(word, count);
    if (count <= MOST_OFTEN) all.push(nth(word, count));
  }
  if (all.length > 0) sql.run("INSERT INTO word(rowid, words) VALUES (?, ?)", id, all.join(" "));
  return words.length;
}

/** Takes a file out of the index, with all its units. */
export function dropIndexed(sql: Sql, { path, no }: Pick<IndexedRow, "path" | "no">): void {
  sql.run("DELETE FROM indexed WHERE path = ?", path);
  dropUnits(sql, no);
}

/** Takes all units of a file out of the index. */
export function dropUnits(sql: Sql, no: number): void {
  const [first, last] = [no * UNITS, (no + 1) * UNITS - 1];
  sql.run("DELETE FROM word WHERE rowid BETWEEN ? AND ?", first, last);
  sql.run("DELETE FROM excerpt WHERE id BETWEEN ? AND ?", first, last);
}

const Packed = z.array(
  z.tuple([z.number(), z.number(), z.string(), z.string().nullable(), z.string().nullable()]),
);

const packed = ({ line, end, text, said }: Unit): z.input<typeof Packed>[number] => [
  line,
  end,
  cutAt(text, SHOWN_CHARS),
  said?.role ?? null,
  said?.turn ?? null,
];

/** Unit `at` of a file, to be shown. */
export function readExcerpt(sql: Sql, no: number, at: number): Excerpt {
  const [row] = sql.all<{ id: number; units: string }>(
    "SELECT id, units FROM excerpt WHERE id <= ? ORDER BY id DESC LIMIT 1",
    no * UNITS + at,
  );
  const units = Packed.parse(JSON.parse(row?.units ?? "[]"));
  const unit = units[no * UNITS + at - (row?.id ?? 0)];
  if (!unit) throw new Error(`the index has no unit ${at} of file ${no}`);
  const [line, end, text, role, turn] = unit;
  return { line, end, text, said: role === null ? null : { role, turn: turn ?? "" } };
}

/** Makes units of a file that begin in these lines as if nothing was said there. Gives which they are. */
export function hideUnits(sql: Sql, no: number, lines: ReadonlySet<number>): number[] {
  const [first, last] = [no * UNITS, (no + 1) * UNITS - 1];
  const rows = sql.all<Row & { readonly units: string }>(
    "SELECT id, lengths, times, units FROM excerpt WHERE id BETWEEN ? AND ? ORDER BY id",
    first,
    last,
  );
  return rows.flatMap(({ id, lengths, units }) => {
    const all = Packed.parse(JSON.parse(units));
    const hidden = all.flatMap(([line], at) => (lines.has(line) ? [at] : []));
    if (hidden.length === 0) return [];
    const counts = numbersIn(lengths);
    for (const at of hidden) {
      sql.run("DELETE FROM word WHERE rowid = ?", id + at);
      counts[at] = 0;
      const unit = all[at];
      if (unit) unit[2] = "";
    }
    const update = "UPDATE excerpt SET lengths = ?, units = ? WHERE id = ?";
    sql.run(update, counts.join(), JSON.stringify(all), id);
    return hidden.map((at) => id - first + at);
  });
}

/** Units that have a word, in order, each as often as it has it. `isBegun`: those with any word that begins so, once. */
export function unitsWith(
  sql: Sql,
  word: string,
  isBegun: boolean,
): readonly (readonly number[])[] {
  if (isBegun) return [matching(sql, `"${word}"*`)];
  const found: (readonly number[])[] = [];
  for (let count = 1; count <= MOST_OFTEN; count += 1) {
    const units = matching(sql, `"${nth(word, count)}"`);
    if (units.length === 0) break;
    found.push(units);
  }
  return found;
}

function matching(sql: Sql, query: string): readonly number[] {
  const all: number[] = [];
  for (let after = 0; ;) {
    const [found] = sql.all<{ ids: string | null }>(
      `SELECT group_concat(id) AS ids FROM
       (SELECT rowid AS id FROM word WHERE word MATCH ? AND rowid > ? ORDER BY rowid LIMIT ${FOUND})`,
      query,
      after,
    );
    const ids = JSON.parse(`[${found?.ids ?? ""}]`) as readonly number[];
    if (all.length === 0 && ids.length < FOUND) return ids;
    for (const id of ids) all.push(id);
    if (ids.length < FOUND) return all;
    after = ids.at(-1) ?? after;
  }
}
