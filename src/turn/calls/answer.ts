import { CarrelError, invalid, notFound, sessionGone } from "../../shared/errors.ts";
import type {
  AcceptRequest,
  AnswerOutcome,
  CallAnswer,
  TurnView,
} from "../../shared/session-api.ts";
import { questionOf, type EntryOf, type JournalEntry } from "../../session/entries.ts";
import { findTurn, type BegunTurn } from "../../session/turns.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { afterChange } from "./park.ts";
import { keepRules } from "../rights/permissions.ts";
import { assertNewest, decline, isExpired } from "./questions.ts";
import { readAnswers, stepOf, type Meaning, type ReadAnswer } from "./read-answer.ts";
import type { AnsweredBefore } from "../line/while-busy.ts";
import { viewOf, viewOfStored } from "../status.ts";

export type AnswerResult = { readonly answers: readonly AnswerOutcome[]; readonly turn: TurnView };

/**
 * Answers parked calls; see `SessionApi.answer`. Committed when this resolves, all that count at once; the caller starts
 * the driver. The first answer to a question wins: each is looked at again in the commit. An approval has the turn go on,
 * and so do rules that are to be kept; after anything else it goes on when nothing is left to answer.
 */
export async function answerCalls(
  core: SessionCore,
  harness: Harness,
  answers: readonly CallAnswer[],
  by: string,
): Promise<AnswerResult> {
  if (answers.length === 0) throw invalid("Send at least one answer.");
  const read = await readAnswers(core, harness, answers);
  if (core.isDeleted) throw sessionGone();
  const steps = read.map(({ call }) => stepOf(core, call));
  const asked = steps.map((step) => step[0]?.turn);
  try {
    const { begun } = core;
    const { outcomes, turn } = core.commit("answer", (tx) => {
      assertNewest(core);
      return takeAnswers(core, tx, { read, by: `user:${by}`, begun });
    });
    if (turn) core.replaceOpen(turn);
    // Before the caller goes on: nothing else would take up what goes on now, should this object end.
    if (core.isBusy) core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
    const id = asked.find((one) => one === begun?.id) ?? asked[0];
    return { answers: outcomes, turn: viewById(core, id ?? "") };
  } catch (error) {
    if (!(error instanceof LostTurn)) throw error;
    throw new CarrelError("overloaded", "The session has moved to another place. Try again.");
  }
}

/**
 * What takes answers in the commit of the message that they come with, by the same rules; `null` where there is none. One
 * that is refused alone stays open.
 */
export async function answersBefore(
  core: SessionCore,
  harness: Harness,
  { by, list }: NonNullable<AcceptRequest["answers"]>,
): Promise<((tx: Tx) => AnsweredBefore) | null> {
  const each = list.map((answer) =>
    readAnswers(core, harness, [answer]).catch((error: unknown): ReadAnswer[] => {
      if (error instanceof CarrelError) return [];
      throw error;
    }),
  );
  const read = (await Promise.all(each)).flat();
  if (read.length === 0) return null;
  return (tx) => {
    assertNewest(core);
    return takeAnswers(core, tx, { read, by: `user:${by}`, begun: core.begun });
  };
}

type Answering = {
  readonly read: readonly ReadAnswer[];
  readonly by: string;
  readonly begun: BegunTurn | null;
};

function takeAnswers(
  core: SessionCore,
  tx: Tx,
  { read, by, begun }: Answering,
): AnsweredBefore & { readonly outcomes: AnswerOutcome[] } {
  const outcomes: AnswerOutcome[] = [];
  const written: JournalEntry[] = [];
  // All calls that wait are of one step.
  let newest: JournalEntry[] | null = null;
  let must = false;
  for (const { call, digest, meaning } of read) {
    const own = stepOf(core, call);
    const isNewest = newest?.[0]?.seq === own[0]?.seq;
    const entries: JournalEntry[] = isNewest && newest ? newest : own;
    const question = questionOf(entries, call);
    if (!question) throw notFound("That call");
    const { asked, answered } = question;
    const isOpen = !answered && asked.turn === begun?.id && !isExpired(asked, core.clock.now());
    if (!isOpen || !meaning || asked.digest !== digest) {
      const isRepeated = answered && meaning && isSame(answered, meaning, entries);
      const outcome = isRepeated ? "repeated" : "stale";
      outcomes.push({ call, outcome, answer: answered?.answer ?? null });
      continue;
    }
    newest = entries;
    const facts = take(tx, asked, meaning, by);
    newest.push(...facts);
    written.push(...facts);
    const kept = keptBy(meaning);
    const isChanged = kept !== null && keepRules(core, tx, kept, by);
    must ||= meaning.kind === "approve" || isChanged;
    outcomes.push({ call, outcome: "taken", answer: answerOf(meaning) });
  }
  if (!newest || begun?.state !== "waiting") return { outcomes, written, turn: null };
  return { outcomes, written, turn: afterChange(core, tx, begun, { entries: newest, must }) };
}

function take(
  tx: Tx,
  asked: EntryOf<"asked">,
  meaning: Meaning,
  by: string,
): readonly JournalEntry[] {
  const { turn, call, name } = asked;
  if (meaning.kind === "deny") {
    const why = meaning.reason === undefined ? {} : { reason: meaning.reason };
    return decline(tx, asked, { answer: "denied", by, ...why });
  }
  const fact = { kind: "answered", call, name, answer: answerOf(meaning), by } as const;
  if (meaning.kind === "approve") {
    const { digest, input } = meaning;
    return [tx.append(turn, { ...fact, digest, ...(input === undefined ? {} : { input }) })];
  }
  return [
    tx.append(turn, { ...fact, digest: asked.digest }),
    tx.append(turn, { ...meaning, call, name }),
  ];
}

/** Whether this answer is the one that counted. */
function isSame(
  answered: EntryOf<"answered">,
  meaning: Meaning,
  entries: readonly JournalEntry[],
): boolean {
  if (answered.answer !== answerOf(meaning)) return false;
  if (meaning.kind === "approve") return answered.digest === meaning.digest;
  if (meaning.kind === "deny") return true;
  const result = entries.find((entry) => entry.kind === "result" && entry.call === answered.call);
  return (
    result?.kind === "result" &&
    result.status === meaning.status &&
    JSON.stringify(result.content) === JSON.stringify(meaning.content)
  );
}

const answerOf = ({ kind }: Meaning) =>
  kind === "approve" ? "approved" : kind === "deny" ? "denied" : "result";

function keptBy(meaning: Meaning) {
  if (meaning.kind === "approve") return { allow: meaning.always, deny: [] };
  return meaning.kind === "deny" ? { allow: [], deny: meaning.always } : null;
}

function viewById(core: SessionCore, id: string): TurnView {
  const open = core.open.find((turn) => turn.id === id);
  if (open) return viewOf(core, open);
  const stored = findTurn(core.sql, id);
  if (!stored) throw new Error("a call is of a turn that is none");
  return viewOfStored(core, id, stored);
}
