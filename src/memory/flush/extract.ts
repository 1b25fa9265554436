import { askOnce } from "../../model/ask.ts";
import type { Model } from "../../model/model.ts";
import { withInactivityLimit } from "../../model/watchdog.ts";
import type { Clock } from "../../shared/clock.ts";
import { CarrelError, ModelError } from "../../shared/errors.ts";
import type { Usage } from "../../shared/messages.ts";
import { allBulletsOf, bulletLimits, bulletsOf, hasBullets } from "../ledger.ts";
import { NO_REPLY } from "./prompt.ts";

/** How long a model may take for all of its answer. */
export const TIMEOUT_MS = 60_000;

const MAX_OUTPUT_TOKENS = 8_000;
/** UTF-16 units of an answer. */
const MAX_ANSWER = 100_000;

/** The model does not answer this request, however often it is asked; it may answer one that is shorter. */
export class Unanswerable extends Error {
  override name = "Unanswerable";
  /** Whether the provider would not answer, whatever the length. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal = false) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** What the model found worth keeping: none as a rule. */
export type Extract = { readonly bullets: readonly string[]; readonly usage: Usage };

export type ExtractRequest = { readonly system: string; readonly user: string };

/**
 * Asks the model, without tools. Throws `Unanswerable` when the request was too much or was refused, or the answer is not
 * whole; what else fails may be tried again.
 */
export async function extract(
  model: Model,
  request: ExtractRequest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Extract> {
  const done = new AbortController();
  const late = new AbortController();
  void clock.sleep(TIMEOUT_MS, done.signal).then(() => {
    const message = `The model took longer than ${TIMEOUT_MS / 1_000} s.`;
    if (!done.signal.aborted) late.abort(new ModelError("stalled", message));
  });
  try {
    return await ask(
      withInactivityLimit(model, TIMEOUT_MS, clock),
      request,
      AbortSignal.any([signal, late.signal]),
    );
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    const isRefusal = error.code === "model_refused";
    if (!isRefusal && error.code !== "context_overflow") throw error;
    throw new Unanswerable(error.message, isRefusal);
  } finally {
    done.abort();
  }
}

async function ask(
  model: Model,
  { system, user }: ExtractRequest,
  signal: AbortSignal,
): Promise<Extract> {
  const asked = { system, text: user, maxOutputTokens: MAX_OUTPUT_TOKENS };
  const { text, finish, usage } = await askOnce(model, asked, MAX_ANSWER, signal);
  if (finish === "length") throw new Unanswerable("The answer was cut off at its limit.");
  if (finish === "tool-calls") throw new Unanswerable("The model called a tool instead.");
  if (finish === "refused") throw new Unanswerable("The provider refused to answer.", true);
  return { bullets: bulletsIn(text), usage };
}

/** None in `NO_REPLY`, however it is dressed up. A line that only announces the list is no bullet. */
function bulletsIn(text: string): string[] {
  const lines = text.trim().split("\n");
  const isAnnounced = lines.length > 1 && /^\w.*:\s*$/u.test(lines[0] ?? "") && hasBullets(text);
  const list = isAnnounced ? lines.slice(1).join("\n") : text;
  if (allBulletsOf(list).length > bulletLimits.bullets)
    throw new Unanswerable("The answer has too many bullets.");
  return bulletsOf(list).filter((bullet) => bullet.replace(/[^\p{L}_]/gu, "") !== NO_REPLY);
}
