import { CarrelError, notFound } from "../../shared/errors.ts";
import type { AnswerOutcome, CallAnswer } from "../../shared/session-api.ts";
import { askedAs, ofChild } from "../../shared/subagents.ts";
import { findChild } from "../../session/children.ts";
import { answerCalls, type AnswerResult } from "../calls/answer.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";

/**
 * Answers parked calls, those of subagents in their sessions: what of one is asked under another id here is answered there.
 * See `SessionApi.answer`. Throws as `answerCalls` does.
 */
export async function answerAll(
  core: SessionCore,
  harness: Harness,
  answers: readonly CallAnswer[],
  by: string,
): Promise<AnswerResult> {
  const isOwn = ({ call }: CallAnswer) => ofChild(call) === null;
  const own = answers.filter(isOwn);
  if (own.length === answers.length) return answerCalls(core, harness, answers, by);
  const given = own.length === 0 ? null : await answerCalls(core, harness, own, by);
  const ownOutcomes = [...(given?.answers ?? [])];
  const outcomes: AnswerOutcome[] = [];
  let turn = given?.turn ?? null;
  for (const answer of answers) {
    const found = isOwn(answer) ? ownOutcomes.shift() : undefined;
    if (found) {
      outcomes.push(found);
      continue;
    }
    const of = await answerChild(core, answer, by);
    outcomes.push(...of.answers);
    turn ??= of.turn;
  }
  if (!turn) throw new Error("an answer without a turn");
  return { answers: outcomes, turn };
}

async function answerChild(
  core: SessionCore,
  answer: CallAnswer,
  by: string,
): Promise<AnswerResult> {
  const { session, call } = ofChild(answer.call) ?? { session: "", call: "" };
  if (!findChild(core.sql, session)) throw notFound("That call");
  const to = { ...core.platform.address, session };
  const given = await core.platform.link(to).answer(to, [{ ...answer, call }], by);
  if (!given.ok) throw new CarrelError(given.code, given.message);
  const answers = given.answers.map((outcome) => ({
    ...outcome,
    call: askedAs(session, outcome.call),
  }));
  return { answers, turn: given.turn };
}
