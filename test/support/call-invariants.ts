import { openCalls, questionOf, type JournalEntry } from "../../src/session/entries.ts";
import type { ModelMessage } from "../../src/shared/messages.ts";
import type { Observation } from "./observation.ts";

/** A4, A5: what was asked has one answer, and runs only if that allows it. */
export function questionViolations(journal: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  let isChanged = false;
  const before: JournalEntry[] = [];
  for (const entry of journal) {
    const question = "call" in entry ? questionOf(before, entry.call) : null;
    before.push(entry);
    if (entry.kind === "permissions") isChanged = true;
    if (entry.kind === "asked") {
      isChanged = false;
      if (question && !question.answered && question.asked.digest === entry.digest)
        found.push(`${entry.call} is asked twice for the same`);
    } else if (entry.kind === "answered") {
      if (!question || question.answered) found.push(`an answer for ${entry.call}, unasked`);
      if (question && entry.input === undefined && entry.digest !== question.asked.digest)
        found.push(`the answer for ${entry.call} is for something else`);
    } else if (entry.kind === "intent" && question && !isChanged) {
      if (question.answered?.answer !== "approved") found.push(`${entry.call} runs unapproved`);
    } else if (entry.kind === "result" && question?.answered) {
      const { answer } = question.answered;
      if ((answer === "denied" || answer === "expired") && entry.status !== "denied")
        found.push(`${entry.call} was ${answer} and is ${entry.status}`);
    }
  }
  return found;
}

/** T5, T6: each call has one result, in its own step; intents come before what they announce. */
export function callViolations({ tables, tools }: Observation): string[] {
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
    const isClients = questionOf(before, call)?.answered?.answer === "result";
    if (status === "success" && replay !== "pure" && !intents.has(call) && !isClients)
      found.push(`${call} ran without an intent`);
  }
  return found;
}

/** T5: what tools did to the world, whatever was interrupted. */
export function effectViolations(seen: Observation): string[] {
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
      const edited = questionOf(seen.tables.journal, part.call)?.answered?.input;
      const hasRun = runs.has(`${part.name}:${labelOf(edited ?? part.input)}`);
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

/** P2: what the agent plans, and has to do, changes with the result that says so, once. */
export function workViolations(journal: readonly JournalEntry[]): string[] {
  const found: string[] = [];
  for (const [at, entry] of journal.entries()) {
    const isOwn =
      entry.kind === "todos" || (entry.kind === "plan" && entry.by.startsWith("agent:"));
    const next = journal[at + 1];
    const isResult = next?.kind === "result" && next.status === "success";
    if (isOwn && !(isResult && /^(plan|todo)_/.test(next.name)))
      found.push(`what is planned changed at ${entry.seq} without a result`);
    if (entry.kind !== "result" || entry.status !== "success") continue;
    const before = journal[at - 1]?.kind;
    const expected = entry.name.startsWith("plan_")
      ? "plan"
      : entry.name === "todo_write"
        ? "todos"
        : null;
    if (expected !== null && before !== expected)
      found.push(`${entry.name} at ${entry.seq} has changed nothing`);
  }
  return found;
}
