import { EventLog } from "../../src/session/event-log.ts";
import { readHistory } from "../../src/session/history.ts";
import { Journal } from "../../src/session/journal.ts";
import { parkedJobs } from "../../src/session/jobs.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { parseCursor, START, type Cursor, type IdentifiedEvent } from "../../src/shared/events.ts";
import type { HistoryMessage } from "../../src/shared/session-api.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { checkInvariants, readTables } from "../support/invariants.ts";
import type { Observation } from "../support/observation.ts";
import type { Ground } from "./ground.ts";
import type { Auditor } from "./auditor.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";
import type { Storage } from "./storage.ts";
import { chanceTools } from "./tools.ts";

/** What is left after a run. */
export type Aftermath = Required<Pick<Observation, "effects" | "witness" | "crashes">> & {
  readonly random: Random;
  readonly storage: Storage;
  readonly ledger: Ledger;
  readonly auditor: Auditor;
  /** How often the work after each turn was done. */
  readonly after: ReadonlyMap<string, number>;
  readonly world: Ground["world"];
};

/** What does not hold once everything is at rest; and all of it as one text. */
export function restViolations({
  random,
  storage,
  ledger,
  auditor,
  after,
  ...outside
}: Aftermath): {
  readonly print: () => string;
  readonly turns: number;
  readonly violations: string[];
} {
  // Nobody may have said anything; then there are no tables.
  const sql = sessionTables(storage.sql);
  if (auditor.isDeleted) return afterDeletion(sql, storage, outside.world);
  const found: string[] = [];
  const tables = readTables((query) => sql.all(query));
  const parked = new Set(parkedJobs(sql).map(({ id }) => id));
  const streams = ledger.readers.map(({ events }) => events);
  const replay = readAll(sql, START, 10_000);
  found.push(
    ...checkInvariants({
      ...outside,
      tables: { ...tables, jobs: tables.jobs.filter(({ id }) => !parked.has(id)) },
      sent: ledger.sent,
      streams,
      replay,
      history: readPages(sql, random.between(1, 6)),
      tools: chanceTools,
    }),
  );
  if (storage.alarm !== null) found.push("[R3] an alarm stands although nothing is left to do");
  for (const turn of ledger.over) {
    const state = tables.turns.find(({ id }) => id === turn)?.state;
    if (state === undefined || ["queued", "running", "waiting"].includes(state))
      found.push(`[S4] ${turn} was said to be over and is ${state}`);
  }
  if (after.size > 0) {
    for (const { id, joined } of tables.turns)
      if (
        joined === null &&
        !after.has(id) &&
        !auditor.wasAbandoned(id) &&
        !parked.has(`turn:${id}`)
      )
        found.push(`[T11] nothing was done after ${id}`);
  }
  found.push(...readerViolations(sql, tables.journal, { parked, auditor }));
  found.push(...resumeViolations(sql, replay, random));
  const print = () =>
    JSON.stringify({ tables, streams, runs: outside.effects.runs, sent: ledger.sent });
  return { print, turns: tables.turns.length, violations: found };
}

/** One tombstone of hash and time is left, and no alarm. */
function afterDeletion(sql: Sql, storage: Storage, world: Ground["world"]) {
  const tables = readTables((query) => sql.all(query));
  const states = sql.all<{ name: string; body: string }>("SELECT name, body FROM state");
  const violations: string[] = [];
  const left = [...tables.turns, ...tables.journal, ...tables.jobs].length + tables.checkpoints;
  if (left > 0) violations.push(`[I6] ${left} rows of a deleted session are left`);
  if (states.map(({ name }) => name).join() !== "deleted")
    violations.push(`[I6] a deleted session keeps ${states.map(({ name }) => name).join()}`);
  if (world.files > 0) violations.push("[I6] files of a deleted session are left");
  if (storage.alarm !== null) violations.push("[R3] a deleted session has an alarm");
  return { print: () => JSON.stringify({ states, world }), turns: 0, violations };
}

/** Every event after `cursor`, as a reader gets them who takes `budget` characters at a time. */
function readAll(sql: Sql, cursor: Cursor, budget: number): IdentifiedEvent[] {
  const log = new EventLog(new Journal(sql), () => null);
  const events: IdentifiedEvent[] = [];
  for (let at = cursor; ;) {
    const page = log.read(at, budget);
    if (page.events.length === 0) return events;
    events.push(...page.events);
    at = page.cursor;
  }
}

function readPages(sql: Sql, limit: number): HistoryMessage[] {
  const journal = new Journal(sql);
  const messages: HistoryMessage[] = [];
  for (let before: number | null = journal.last + 1; before !== null;) {
    const page: ReturnType<typeof readHistory> = readHistory(journal, before, limit);
    messages.unshift(...page.messages);
    before = page.before;
  }
  return messages;
}

/** S1: from any event on, the rest is the rest, however it is cut. */
function resumeViolations(sql: Sql, replay: readonly IdentifiedEvent[], random: Random): string[] {
  if (replay.length === 0) return [];
  const at = random.between(0, replay.length - 1);
  const { id } = replay[at] ?? { id: "0.0" };
  const rest = readAll(sql, parseCursor(id) ?? START, random.between(500, 20_000));
  return textOf(rest) === textOf(replay.slice(at + 1))
    ? []
    : [`[S1] resuming from ${id} gives another rest`];
}

/** Events as text, in which it does not show where texts were cut. */
function textOf(events: readonly IdentifiedEvent[]): string {
  let text = "";
  for (const { event } of events)
    text += "text" in event ? event.text : `<${JSON.stringify(event)}>`;
  return text;
}

/** The capability of this simulation that reads on in the background. */
export const READER = "reader";

/** How far its notes say that it has come. */
export const readTo = (notes: unknown): number =>
  typeof notes === "object" && notes !== null && "to" in notes ? Number(notes.to) : 0;

/** M1: what reads on in the background has read to the end, unless it was parked. Where there is none there are no notes. */
function readerViolations(
  sql: Sql,
  journal: readonly { readonly seq: number; readonly turn: string; readonly kind: string }[],
  { parked, auditor }: { readonly parked: ReadonlySet<string>; readonly auditor: Auditor },
): string[] {
  const [row] = sql.all<{ body: string }>(
    "SELECT body FROM state WHERE name = ?",
    `notes:${READER}`,
  );
  // After a turn that was given up for its size nothing is done; what was said in it is read with the next one.
  const isRead = ({ kind, turn }: (typeof journal)[number]) =>
    kind === "end" && !auditor.wasAbandoned(turn);
  const end = journal.findLast(isRead)?.seq ?? 0;
  if (!row || parked.has(`later:${READER}`)) return [];
  const to = readTo(JSON.parse(row.body));
  return to >= end ? [] : [`[M1] what was said to ${end} was read to ${to}`];
}
