import { START, type IdentifiedEvent } from "../../src/shared/events.ts";
import { EventLog } from "../../src/session/event-log.ts";
import { Journal } from "../../src/session/journal.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { listTasks, newsTasks } from "../../src/session/tasks.ts";
import { isEnded, type Task } from "../../src/shared/tasks.ts";
import { callViolations, questionViolations, workViolations } from "../support/call-invariants.ts";
import { readTables } from "../support/invariants.ts";
import { historyViolations } from "../support/message-invariants.ts";
import { createScriptedTools } from "../support/scripted-tools.ts";
import type { Scenario } from "./crash-scenarios.ts";
import type { FamilyLab } from "./family-lab.ts";

const STATES = new Map([
  ["completed", "completed"],
  ["failed", "failed"],
  ["stopped", "cancelled"],
]);

/** What of a session, its subagents and what they did is not as it should be once all is at rest; empty when nothing. */
export function familyViolations(lab: FamilyLab, scenario: Scenario): string[] {
  const { told = [], did = [], never = [], isDeleted = false } = scenario;
  const found: string[] = [];
  for (const label of did) found.push(...doneOnce(lab, label));
  for (const label of never)
    if (lab.effects.runs.includes(`keyed_thing:${label}`)) found.push(`${label} was done`);
  if (isDeleted) return [...found, ...goneViolations(lab)];
  for (const session of ["s1", ...lab.children])
    found.push(...sessionViolations(lab, session).map((what) => `${session}: ${what}`));
  const tasks = listTasks(sessionTables(lab.sql("s1")), { limit: 1_000 });
  for (const task of tasks) found.push(...taskViolations(lab, task));
  for (const label of told) {
    const times = tellings(lab).split(`Reply-${label}.`).length - 1;
    if (times !== 1) found.push(`the reply ${label} was told ${times} times`);
  }
  for (const child of lab.children) found.push(...eventViolations(lab, child));
  return found;
}

/** An effect that honours its key is there once, however often it was tried. */
function doneOnce({ effects }: FamilyLab, label: string): string[] {
  const times = [...effects.keyed.values()].filter((done) => done === label).length;
  return times === 1 ? [] : [`${label} was done ${times} times`];
}

function sessionViolations(lab: FamilyLab, session: string): string[] {
  const sql = sessionTables(lab.sql(session));
  const tables = readTables((query) => sql.all(query));
  const { journal, turns, jobs, checkpoints } = tables;
  const tools = createScriptedTools(lab.effects);
  const seen = { tables, tools, sent: [], streams: [], replay: [], history: [], crashes: [] };
  const unsaid = sql.all("SELECT * FROM unsaid").length;
  return [
    ...historyViolations(journal),
    ...questionViolations(journal),
    ...workViolations(journal),
    ...callViolations(seen),
    ...turns.flatMap(({ id, state }) => {
      const count = (kind: string) =>
        journal.filter((entry) => entry.turn === id && entry.kind === kind).length;
      const isWhole = count("user") === 1 && count("end") === 1;
      return isWhole ? [] : [`turn ${id} is ${state}, begun ${count("user")} times`];
    }),
    ...jobs.map(({ id }) => `the job ${id} is left`),
    ...(lab.alarms.has(session) ? ["an alarm is left"] : []),
    ...(checkpoints + unsaid === 0 ? [] : ["a checkpoint is left, or something unsaid"]),
    ...(newsTasks(sql, 1).length === 0 ? [] : ["news are left"]),
  ];
}

/** What became of a task agrees with what its subagent's session says, which worked on it once. */
function taskViolations(lab: FamilyLab, { id, session, state }: Task): string[] {
  if (!isEnded(state)) return [`${id} is ${state}`];
  if (session === null) return [];
  const own = lab.entries(session).filter(({ turn }) => turn === id);
  const ends = own.flatMap((entry) => (entry.kind === "end" ? [entry.outcome] : []));
  const users = own.filter(({ kind }) => kind === "user").length;
  if (users !== ends.length || users > 1) return [`${id} was worked on ${users} times`];
  const [outcome] = ends;
  if (state === "completed" && outcome !== "completed") return [`${id} is completed, not ended`];
  const isSame = outcome === undefined || STATES.get(outcome) === state;
  // It may have come to its end before it could be stopped.
  return isSame || state === "cancelled" ? [] : [`${id} is ${state}, and ended as ${outcome}`];
}

/** All that the agent was told of its subagents. */
const tellings = (lab: FamilyLab): string =>
  lab
    .entries()
    .flatMap((entry) => {
      if (entry.kind === "delivered") return entry.tasks.map(({ text }) => text);
      const isSubagents = entry.kind === "result" && !entry.name.endsWith("_thing");
      return isSubagents ? entry.content.map((part) => ("text" in part ? part.text : "")) : [];
    })
    .join("\n");

/** All facts of a subagent's session are in its parent's, in order, each once. */
function eventViolations(lab: FamilyLab, child: string): string[] {
  const log = new EventLog(new Journal(sessionTables(lab.sql(child))), () => null);
  const ids = (events: readonly IdentifiedEvent[]) => events.map(({ id }) => id).join();
  const own = log.read(START, 10_000_000).events;
  const heard = lab
    .entries()
    .flatMap((entry) =>
      entry.kind === "subagent" && entry.session === child ? [...entry.events] : [],
    );
  return ids(own) === ids(heard) ? [] : [`of ${child} [${ids(own)}], heard [${ids(heard)}]`];
}

/** Nothing of a deleted session, or of its subagents', goes on or is left. */
function goneViolations(lab: FamilyLab): string[] {
  return ["s1", ...lab.children].flatMap((session) => {
    const rows = readTables((query) => sessionTables(lab.sql(session)).all(query));
    const left = rows.journal.length + rows.turns.length;
    return [
      ...(left === 0 ? [] : [`${session} has ${left} rows left`]),
      ...(lab.alarms.has(session) ? [`${session} has an alarm left`] : []),
    ];
  });
}
