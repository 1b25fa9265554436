import * as z from "zod";
import { entryId } from "../../shared/memory-entries.ts";
import type { Forgotten, ForgottenMessage, Undone } from "../../shared/memory-api.ts";

const UndoneAnswer = z.object({
  restored: z.int(),
  refused: z.array(z.object({ id: z.string(), why: z.string() })).readonly(),
});

const ForgottenAnswer = z.object({
  entries: z.int(),
  paths: z.array(z.string()).readonly(),
  said: z
    .array(
      z.object({ session: z.string().nullable(), turn: z.string().nullable(), text: z.string() }),
    )
    .readonly(),
});

const HiddenAnswer = z.object({ hidden: z.int() });

/** How long an answer is kept for whoever did not get it, in milliseconds. */
export const ANSWER_MS = 10 * 60_000;

/** The same of what was forgotten, until the messages that tell of it are hidden. */
const UNHIDDEN_MS = 7 * 86_400_000;

/** Names what a request to forget is answered. */
export const forgetName = (op: string): string => `memory-forget:${op}`;

/** From when the ten minutes count for an answer that is given now. */
export const keptFrom = (now: number, { said }: Pick<Forgotten, "said">): number =>
  said.length === 0 ? now : now + UNHIDDEN_MS - ANSWER_MS;

/** What is still to be hidden of earlier answers, by what the texts say. */
export const unhiddenIn = (
  answers: readonly unknown[],
  ids: ReadonlySet<string>,
): readonly ForgottenMessage[] =>
  answers
    .flatMap((stored) => asForgotten(stored)?.said ?? [])
    .filter(({ text }) => ids.has(entryId(text)));

/** What was stored as an answer; `null` for anything else. */
export const asUndone = (stored: unknown): Undone | null =>
  UndoneAnswer.safeParse(stored).data ?? null;

/** The same of forgetting. */
export const asForgotten = (stored: unknown): Forgotten | null =>
  ForgottenAnswer.safeParse(stored).data ?? null;

/** The same of hiding messages. */
export const asHidden = (stored: unknown): { readonly hidden: number } | null =>
  HiddenAnswer.safeParse(stored).data ?? null;
