import { CarrelError, notFound } from "../../shared/errors.ts";
import type { AnswerOutcome, CallAnswer, TurnView } from "../../shared/session-api.ts";
import { askedAs, ofChild } from "../../shared/subagents.ts";
import { findTurn, newestTurn } from "../../session/turns.ts";
import { findChild, updateChild } from "../../session/children.ts";
import { answerCalls, type AnswerResult } from "../calls/answer.ts";
import type { SessionCore } from "../core.ts";
import { viewOf, viewOfStored } from "../status.ts";
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
  for (const answer of answers) {
    const found = isOwn(answer) ? ownOutcomes.shift() : undefined;
    if (found) {
      outcomes.push(found);
      continue;
    }
    outcomes.push(...(await answerChild(core, answer, by)));
  }
  return { answers: outcomes, turn: given?.turn ?? turnOf(core) };
}

/** The turn here that goes on by what a subagent does; the newest one where none does. */
function turnOf(core: SessionCore): TurnView {
  if (core.begun) return viewOf(core, core.begun);
  const id = newestTurn(core.sql);
  const stored = id === null ? null : findTurn(core.sql, id);
  if (id === null || !stored) throw notFound("That call");
  return viewOfStored(core, id, stored);
}

async function answerChild(
  core: SessionCore,
  answer: CallAnswer,
  by: string,
): Promise<readonly AnswerOutcome[]> {
  const { session, call } = ofChild(answer.call) ?? { session: "", call: "" };
  if (!findChild(core.sql, session)) throw notFound("That call");
  const to = { ...core.platform.address, session };
  const given = await core.platform.link(to).answer(to, [{ ...answer, call }], by);
  if (!given.ok) throw new CarrelError(given.code, given.message);
  settled(core, session, answer.call);
  return given.answers.map((outcome) => ({ ...outcome, call: askedAs(session, outcome.call) }));
}

/** It is asked here no longer, also before the subagent's session reports that. */
function settled(core: SessionCore, session: string, call: string): void {
  const child = findChild(core.sql, session);
  const pending = child?.pending.filter((asked) => asked.call !== call);
  if (core.isDeleted || !child || !pending || pending.length === child.pending.length) return;
  const { reported } = child;
  core.commit("report", () => updateChild(core.sql, session, { reported, pending }));
  core.forgetAsking();
}
