import { NO_TURN, type JournalEntry } from "../../src/session/entries.ts";
import {
  callViolations,
  effectViolations,
  questionViolations,
  workViolations,
} from "./call-invariants.ts";
import { historyViolations, requestViolations } from "./message-invariants.ts";
import type { Observation, Tables, TurnRow } from "./observation.ts";
import { replayViolations, streamViolations } from "./stream-invariants.ts";

/** Reads the rows through `all`, which runs a query and gives its rows. */
export function readTables(all: (query: string) => unknown[]): Tables {
  const rows = all("SELECT * FROM journal ORDER BY seq") as ({ body: string } & JournalEntry)[];
  return {
    turns: all("SELECT id, no, state, start, joined FROM turn ORDER BY no") as TurnRow[],
    journal: rows.map(({ body, ...row }) => ({ ...row, ...(JSON.parse(body) as object) })),
    jobs: all("SELECT id, kind FROM job ORDER BY id") as Tables["jobs"],
    checkpoints: all("SELECT turn FROM live").length,
  };
}

/**
 * Every promise about durability that can be read off what is left after a run, whatever crashed in it. Pure: the
 * same in workerd, against a killed server and in simulation. Empty when all hold.
 */
export function checkInvariants(seen: Observation): string[] {
  const { journal, turns } = seen.tables;
  const groups = runsOf(journal);
  const own = turns.filter(({ joined }) => joined === null);
  return [
    ...acceptanceViolations(seen),
    ...own.flatMap((turn) => turnViolations(turn, groups.get(turn.id) ?? [])),
    ...steerViolations(journal, turns),
    ...(groups.size === own.length ? [] : ["the journal has turns that were never accepted"]),
    ...orderViolations(journal, own),
    ...callViolations(seen),
    ...questionViolations(journal),
    ...workViolations(journal),
    ...effectViolations(seen),
    ...historyViolations(journal),
    ...(seen.witness?.requests ?? []).flatMap((request, index) =>
      requestViolations(request.messages).map((what) => `model request ${index}: ${what}`),
    ),
    ...replayViolations(seen.replay),
    ...seen.streams.flatMap((stream, index) =>
      streamViolations(stream, seen.replay).map((what) => `reader ${index}: ${what}`),
    ),
    ...seen.tables.jobs.map(({ id }) => `job ${id} is left`),
    ...(seen.tables.checkpoints === 0 ? [] : ["a checkpoint is left"]),
  ];
}

function runsOf(journal: readonly JournalEntry[]): Map<string, JournalEntry[]> {
  const groups = new Map<string, JournalEntry[]>();
  for (const entry of journal) {
    if (entry.turn === NO_TURN) continue;
    groups.set(entry.turn, [...(groups.get(entry.turn) ?? []), entry]);
  }
  return groups;
}

/** T1, T3: what was acknowledged is there, once, and nothing else is. */
function acceptanceViolations({ sent, tables, history }: Observation): string[] {
  const found: string[] = [];
  const known = new Set(tables.turns.map(({ id }) => id));
  for (const { key, text, ackedAt } of sent) {
    if (ackedAt !== null && !known.has(key)) found.push(`acknowledged turn ${key} is lost`);
    if (text === null) continue;
    const count = history
      .flatMap((message) =>
        message.role === "user"
          ? message.content
          : message.parts.flatMap((part) => (part.type === "steered" ? part.content : [])),
      )
      .filter((part) => part.type === "text" && part.text === text).length;
    if (count !== (known.has(key) && !wasCleared(key, tables) ? 1 : 0))
      found.push(`the message of ${key} is ${count} times in the history`);
  }
  for (const id of known) {
    if (!sent.some(({ key }) => key === id)) found.push(`nobody sent turn ${id}`);
  }
  for (const first of sent) {
    for (const second of sent) {
      if (first.ackedAt === null || first.ackedAt > second.sentAt) continue;
      const [a, b] = [first, second].map(({ key }) => tables.turns.find(({ id }) => id === key));
      if (a && b && a.no >= b.no) found.push(`${a.id} was accepted first but comes after ${b.id}`);
    }
  }
  return found;
}

/** Whether the conversation began anew after a message. */
function wasCleared(key: string, { turns, journal }: Tables): boolean {
  const at = turns.find(({ id }) => id === key)?.start ?? 0;
  return journal.some(({ kind, seq }) => kind === "cleared" && seq > at);
}

/** T8: a message that was taken into a turn is in it, once, and nothing else was; that turn had begun when it came. */
function steerViolations(journal: readonly JournalEntry[], turns: readonly TurnRow[]): string[] {
  const found: string[] = [];
  const taken = journal.flatMap((entry) => (entry.kind === "steered" ? [entry] : []));
  for (const { id, no, joined, start, state } of turns) {
    const own = taken.filter(({ message }) => message === id);
    const isRight =
      joined === null
        ? own.length === 0
        : own.length === 1 && own[0]?.turn === joined && own[0].seq === start;
    if (!isRight || (joined === null) === (state === "steered"))
      found.push(`${id} is ${state} and was steered ${own.length} times into ${joined}`);
    const into = turns.find((turn) => turn.id === joined);
    if (into && no < (into.start ?? Infinity))
      found.push(`${id} was taken into ${into.id}, which had not begun when it came`);
  }
  return found;
}

/** T2, S4: one user entry first, one end last, steps counted from 1, and a row that agrees. */
function turnViolations(turn: TurnRow, entries: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  const count = (kind: JournalEntry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first?.kind !== "user" || count("user").length !== 1)
    found.push(`does not begin with its only user entry`);
  if (last?.kind !== "end" || count("end").length !== 1)
    found.push(`does not end with its only end`);
  if (last?.kind === "end" && last.outcome !== turn.state)
    found.push(`ended as ${last.outcome} but its row says ${turn.state}`);
  if (first && first.seq !== turn.start) found.push(`starts at ${first.seq}, not at ${turn.start}`);
  const attached = entries.findLastIndex(({ kind }) => kind === "attached");
  const firstStep = entries.findIndex(({ kind }) => kind === "step");
  if (count("attached").length > 1 || (firstStep >= 0 && attached > firstStep))
    found.push("attached files twice, or after its first step");
  const steps = entries.flatMap((entry) => (entry.kind === "step" ? [entry] : []));
  for (const [index, step] of steps.entries()) {
    if (step.step !== index + 1) found.push(`step ${step.step} where ${index + 1} is due`);
    const isLast = index === steps.length - 1;
    if (!isLast && (step.finish === "stopped" || step.finish === "failed"))
      found.push(`went on after its ${step.finish} step`);
  }
  if (last?.kind === "end" && last.steps !== steps.length)
    found.push(`says it had ${last.steps} steps, not ${steps.length}`);
  if (last?.kind === "end" && last.outcome === "completed" && steps.length === 0)
    found.push("was completed without an answer");
  return found.map((what) => `turn ${turn.id} ${what}`);
}

/** T4: one turn after another, in order of acceptance. */
function orderViolations(journal: readonly JournalEntry[], turns: readonly TurnRow[]): string[] {
  const entries = journal.filter(({ turn }) => turn !== NO_TURN);
  const ran = entries.flatMap(({ turn }, index) =>
    entries[index - 1]?.turn === turn ? [] : [turn],
  );
  const accepted = turns.map(({ id }) => id);
  return ran.join() === accepted.join()
    ? []
    : [`accepted [${accepted.join()}], ran [${ran.join()}]`];
}
