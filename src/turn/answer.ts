import type { AnswerOutcome, CallAnswer, TurnView } from "../shared/session-api.ts";
import { notFound } from "../shared/errors.ts";
import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";

export type AnswerResult = { readonly answers: readonly AnswerOutcome[]; readonly turn: TurnView };

/** Answers parked calls; see `SessionApi.answer`. Committed when this resolves; the caller starts the driver. */
export async function answerCalls(
  _core: SessionCore,
  _harness: Harness,
  _answers: readonly CallAnswer[],
  _by: string,
): Promise<AnswerResult> {
  throw notFound("That call");
}
