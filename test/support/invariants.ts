import { openCalls, type JournalEntry } from "../../src/session/entries.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import type { ModelMessage } from "../../src/shared/messages.ts";
import type { HistoryMessage } from "../../src/shared/session-api.ts";
import type { ServerTool } from "../../src/tools/tool.ts";
import { historyViolations, requestViolations } from "./message-invariants.ts";
import type { Witness } from "./scripted-model.ts";
import type { Effects } from "./scripted-tools.ts";
import { replayViolations, streamViolations } from "./stream-invariants.ts";

export type TurnRow = {
  readonly id: string;
  readonly no: number;
  readonly state: string;
  readonly start: number | null;
};

/** The stored rows of one session. */
export type Tables = {
  readonly turns: readonly TurnRow[];
  readonly journal: readonly JournalEntry[];
  readonly jobs: readonly { readonly id: string; readonly kind: string }[];
  readonly checkpoints: number;
};

/** Something a client asked for, under one idempotency key. */
export type Sent = {
  readonly key: string;
  /** The message, different from all others of the session; `null` for another answer to the newest one. */
  readonly text: string | null;
  /** When it was first sent, in one order of all that clients do. */
  readonly sentAt: number;
  /** When it was first answered with success, in that order; `null` when it never was. */
  readonly ackedAt: number | null;
};

/** What is known about a session that has come to rest: nothing is left to do and everybody has read all. */
export type Observation = {
  readonly tables: Tables;
  readonly sent: readonly Sent[];
  /** What each reader saw, over all its connections. */
  readonly streams: readonly (readonly IdentifiedEvent[])[];
  /** The events from "0.0" on, read at rest. */
  readonly replay: readonly IdentifiedEvent[];
  readonly history: readonly HistoryMessage[];
  /** What scripted tools did, each call with a label of its own; absent where other tools run. */
  readonly effects?: Effects;
  readonly witness?: Witness;
  readonly tools: readonly Pick<ServerTool, "name" | "replay">[];
  /** How long `effects.runs` and `witness.requests` were at each crash. */
  readonly crashes: readonly { readonly runs: number; readonly requests: number }[];
};

/** Reads the rows through `all`, which runs a query and gives its rows. */
export function readTables(all: (query: string) => unknown[]): Tables {
  const rows = all("SELECT * FROM journal ORDER BY seq") as ({ body: string } & JournalEntry)[];
  return {
    turns: all("SELECT id, no, state, start FROM turn ORDER BY no") as TurnRow[],
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
  return [
    ...acceptanceViolations(seen),
    ...turns.flatMap((turn) => turnViolations(turn, groups.get(turn.id) ?? [])),
    ...(groups.size === turns.length ? [] : ["the journal has turns that were never accepted"]),
    ...orderViolations(journal, turns),
    ...callViolations(seen),
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
    const count = history.filter(
      (message) =>
        message.role === "user" &&
        message.content.some((part) => part.type === "text" && part.text === text),
    ).length;
    if (count !== (known.has(key) ? 1 : 0))
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
  const ran = journal.flatMap(({ turn }, index) =>
    journal[index - 1]?.turn === turn ? [] : [turn],
  );
  const accepted = turns.map(({ id }) => id);
  return ran.join() === accepted.join()
    ? []
    : [`accepted [${accepted.join()}], ran [${ran.join()}]`];
}

/** T5, T6: each call has one result, in its own step; intents come before what they announce. */
function callViolations({ tables, tools }: Observation): string[] {
  const found: string[] = [];
  const replayOf = new Map(tools.map(({ name, replay }) => [name, replay]));
  const intents = new Set<string>();
  const settled = new Set<string>();
  const before: JournalEntry[] = [];
  for (const entry of tables.journal) {
    const open = openCalls(before);
    before.push(entry);
    if (entry.kind === "step" || entry.kind === "end" || entry.kind === "user") {
      for (const { call } of open) found.push(`${call} has no result before the ${entry.kind}`);
    }
    if (entry.kind === "intent") {
      if (intents.has(entry.call)) found.push(`${entry.call} has two intents`);
      if (!open.some(({ call }) => call === entry.call))
        found.push(`an intent for ${entry.call}, which is not open`);
      intents.add(entry.call);
    }
    if (entry.kind !== "result") continue;
    const { call, name, status } = entry;
    if (settled.has(call)) found.push(`${call} has two results`);
    settled.add(call);
    if (!open.some((candidate) => candidate.call === call && candidate.name === name))
      found.push(`a result for ${call}, which is not open`);
    const replay = replayOf.get(name);
    if (status === "unknown" && (replay === "pure" || !intents.has(call)))
      found.push(`${call} is unknown but had no intent`);
    if (status === "success" && replay !== "pure" && !intents.has(call))
      found.push(`${call} ran without an intent`);
  }
  return found;
}

/** T5: what tools did to the world, whatever was interrupted. */
function effectViolations(seen: Observation): string[] {
  const { effects, tools, crashes, witness } = seen;
  if (!effects || !witness) return [];
  const found: string[] = [];
  const runs = Map.groupBy(effects.runs, (run) => run);
  for (const [run, { length }] of runs) {
    const replay = tools.find(({ name }) => run.startsWith(`${name}:`))?.replay;
    const isOnce = replay === "unsafe" || replay === "checkable";
    if (length > 1 + (isOnce ? 0 : crashes.length)) found.push(`${run} ran ${length} times`);
  }
  const labels = [...effects.keyed.values()];
  if (new Set(labels).size < labels.length) found.push(`an effect has two keys: ${labels.join()}`);
  for (const crash of crashes) {
    const finished = new Set(
      witness.requests
        .slice(0, crash.requests)
        .flatMap(({ messages }) => messages.flatMap(finishedRuns)),
    );
    for (const run of effects.runs.slice(crash.runs)) {
      if (finished.has(run)) found.push(`${run} ran again although its result was known`);
    }
  }
  for (const entry of seen.tables.journal) {
    if (entry.kind !== "step") continue;
    for (const part of entry.parts) {
      if (part.type !== "tool-call" || !tools.some(({ name }) => name === part.name)) continue;
      const result = seen.tables.journal.find(
        (other) => other.kind === "result" && other.call === part.call,
      );
      const hasRun = runs.has(`${part.name}:${labelOf(part.input)}`);
      if (result?.kind === "result" && result.status === "success" && !hasRun)
        found.push(`${part.call} succeeded but never ran`);
    }
  }
  return found;
}

/** The runs, as `Effects` writes them, whose results this message shows to the model: a step's calls were all settled. */
function finishedRuns(message: ModelMessage): string[] {
  if (message.role !== "assistant") return [];
  return message.parts.flatMap((part) =>
    part.type === "tool-call" ? [`${part.name}:${labelOf(part.input)}`] : [],
  );
}

function labelOf(input: string): string {
  try {
    const { label } = JSON.parse(input) as { label?: unknown };
    return typeof label === "string" ? label : "x";
  } catch {
    return "x";
  }
}
