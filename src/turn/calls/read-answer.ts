import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import type { Rule } from "../../shared/permissions.ts";
import type { CallAnswer } from "../../shared/session-api.ts";
import { questionOf, type EntryOf, type JournalEntry } from "../../session/entries.ts";
import { RefusedInput } from "../../tools/input-issues.ts";
import type { CheckedCall, Tool } from "../../tools/tool.ts";
import type { PreparingScope } from "../capability.ts";
import type { SessionCore } from "../core.ts";
import { sessionNow } from "./effects.ts";
import { digestOf } from "./gate.ts";
import type { Harness } from "../harness.ts";
import { evict, READER, tooLongFor } from "../eviction/evict.ts";
import { bounded, type StoredOutcome } from "./outcomes.ts";
import { answerFormat } from "../output/output-format.ts";
import { parseRules } from "../rights/permissions.ts";

/** What an answer means for the question that it names. */
export type Meaning =
  /** `digest` stands for what may run; `input` is there when a person put it in the place of the model's. */
  | {
      readonly kind: "approve";
      readonly digest: string;
      readonly input?: string;
      readonly always: readonly Rule[];
    }
  | { readonly kind: "deny"; readonly reason?: string; readonly always: readonly Rule[] }
  | ({ readonly kind: "result" } & StoredOutcome);

/** `meaning` is `null` for an answer that cannot count: what it names is no question, or was answered. */
export type ReadAnswer = Pick<CallAnswer, "call" | "digest"> & { readonly meaning: Meaning | null };

/**
 * Understands answers with the tools that a turn would have now. Changes nothing. Throws `CarrelError`: `not_found` for a
 * call that was never asked about, `invalid` for an answer that does not fit its question.
 */
export async function readAnswers(
  core: SessionCore,
  harness: Harness,
  answers: readonly CallAnswer[],
): Promise<ReadAnswer[]> {
  const tools = new Map<string, Promise<ReadonlyMap<string, Tool>>>();
  const toolsOf = (turn: string, step: readonly JournalEntry[]) => {
    const known = tools.get(turn) ?? collectTools(core, harness, turn, step);
    tools.set(turn, known);
    return known;
  };
  const read: ReadAnswer[] = [];
  for (const answer of answers) {
    const { call, digest } = answer;
    const step = stepOf(core, call);
    const question = questionOf(step, call);
    if (!question) throw notFound("That call");
    const { asked, answered } = question;
    if (asked.digest !== digest) {
      read.push({ call, digest, meaning: null });
      continue;
    }
    try {
      const tools = () => toolsOf(asked.turn, step);
      const meaning = await meaningOf(answer, asked, tools, harness);
      read.push({ call, digest, meaning: await storable(core, harness, asked, tools, meaning) });
    } catch (error) {
      if (!(error instanceof CarrelError) || !answered) throw error;
      read.push({ call, digest, meaning: null });
    }
  }
  return read;
}

type Tools = () => Promise<ReadonlyMap<string, Tool>>;

/** What a client gave, as it is stored: a text that is too long for the conversation goes to a file. */
async function storable(
  core: SessionCore,
  { eviction, workspace }: Harness,
  { turn, call, name }: EntryOf<"asked">,
  tools: Tools,
  meaning: Meaning,
): Promise<Meaning> {
  if (meaning.kind !== "result") return meaning;
  const { kind, status, content } = meaning;
  const given = { status, content };
  const config = tooLongFor(eviction, given, name);
  if (!config || !(await tools()).has(READER)) return { kind, ...bounded(given) };
  const { address, log } = core.platform;
  const files = workspace(address);
  const stored = await evict(given, { config, address, turn, call, name, workspace: files, log });
  return { kind, ...bounded(stored) };
}

async function meaningOf(
  answer: CallAnswer,
  asked: EntryOf<"asked">,
  tools: Tools,
  harness: Harness,
): Promise<Meaning> {
  const tool = async () => (await tools()).get(asked.name);
  if (answer.kind === "result") return resultOf(answer, asked, tool);
  if (answer.kind === "deny") {
    const { kind, reason, always = [] } = answer;
    const why = reason === undefined || reason.trim() === "" ? {} : { reason };
    return { kind, ...why, always: parseRules(always) };
  }
  if (asked.what === "client")
    throw invalid(`The client runs ${asked.name}: send its result, or deny the call.`);
  const always = parseRules(answer.always === true ? firstSuggested(asked) : (answer.always ?? []));
  const { kind, input } = answer;
  if (input === undefined) return { kind, digest: asked.digest, always };
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw invalid("The arguments of a call are a JSON object.");
  const found = await tool();
  if (!found)
    throw invalid(
      `There is no tool named ${asked.name} any more. Approve the call without input, or deny it.`,
    );
  const { binds } = checkInput(found, input);
  const digest = await digestOf({ tool: found, input, binds }, harness.permissions);
  if (digest === asked.digest) return { kind, digest, always };
  return { kind, digest, input: JSON.stringify(input), always };
}

/** Throws `CarrelError('invalid')` that tells the person who wrote these arguments what the tool refuses in them. */
function checkInput(tool: Tool, input: object): CheckedCall {
  try {
    return tool.prepare(input);
  } catch (error) {
    if (!(error instanceof RefusedInput)) throw error;
    throw invalid(`${error.problems}\nCorrect them and answer again: the call still waits.`);
  }
}

function firstSuggested({ suggested }: EntryOf<"asked">): readonly Rule[] {
  const [first] = suggested;
  if (first) return [first];
  throw invalid("No rule would spare this question. Answer it without always, or send your own.");
}

async function resultOf(
  { output, isError }: Extract<CallAnswer, { kind: "result" }>,
  { what, name }: EntryOf<"asked">,
  tool: () => Promise<Tool | undefined>,
): Promise<Meaning> {
  if (what !== "client")
    throw invalid(`${name} is not run by the client: approve or deny the call.`);
  if (isError) {
    const text = typeof output === "string" ? output : JSON.stringify(output ?? null);
    return { kind: "result", status: "error", content: [{ type: "text", text }] };
  }
  const found = await tool();
  if (found?.runsOn !== "client")
    throw invalid(`The client does not run ${name} any more. Deny the call.`);
  return { kind: "result", status: "success", content: found.accept(output) };
}

/** The tools of a turn; of a name that is offered twice the first one, as in the turn. */
async function collectTools(
  core: SessionCore,
  { capabilities, workspace }: Harness,
  turn: string,
  step: readonly JournalEntry[],
): Promise<ReadonlyMap<string, Tool>> {
  const { address } = core.platform;
  const scope: PreparingScope = {
    address,
    turn,
    zone: core.zone,
    now: () => core.clock.now(),
    workspace: workspace(address),
    signal: new AbortController().signal,
    session: () => sessionNow(core),
    end: () => null,
    files: () => Promise.resolve(null),
  };
  const offers = await Promise.all(
    capabilities.map(async (item) => (await item.tools?.(scope)) ?? []),
  );
  const tools = new Map<string, Tool>();
  for (const tool of offers.flat()) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  const format = answerFormat(core.begun?.id === turn ? core.entriesOf(turn) : step);
  if (format) tools.set(format.tool.name, format.tool);
  return tools;
}

/** The step that made this call, by the call's id, with what happened of its turn until the next one; empty when there is none. */
export function stepOf({ journal }: SessionCore, call: string): JournalEntry[] {
  const seq = Number(/^call_(\d{1,15})_\d{1,9}$/.exec(call)?.[1] ?? 0);
  const step = seq > 0 ? journal.first(seq) : null;
  if (step?.kind !== "step" || step.seq !== seq) return [];
  const entries: JournalEntry[] = [step];
  for (let from = seq + 1; ;) {
    const page = journal.read(from);
    for (const entry of page) {
      from = entry.seq + 1;
      if (entry.kind === "step" || entry.kind === "user") return entries;
      if (entry.turn === step.turn) entries.push(entry);
      if (entry.kind === "end") return entries;
    }
    if (page.length === 0) return entries;
  }
}
