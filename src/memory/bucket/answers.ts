import * as z from "zod";
import type { Forgotten, Undone } from "../../shared/memory-api.ts";

const UndoneAnswer = z.object({
  restored: z.int(),
  refused: z.array(z.object({ id: z.string(), why: z.string() })).readonly(),
});

const ForgottenAnswer = z.object({
  entries: z.int(),
  paths: z.array(z.string()).readonly(),
  said: z.array(z.object({ session: z.string(), turn: z.string(), text: z.string() })).readonly(),
});

const HiddenAnswer = z.object({ hidden: z.int() });

/** How long an answer is kept for whoever did not get it, in milliseconds. */
export const ANSWER_MS = 10 * 60_000;

/** What was stored as an answer; `null` for anything else. */
export const asUndone = (stored: unknown): Undone | null =>
  UndoneAnswer.safeParse(stored).data ?? null;

/** The same of forgetting. */
export const asForgotten = (stored: unknown): Forgotten | null =>
  ForgottenAnswer.safeParse(stored).data ?? null;

/** The same of hiding messages. */
export const asHidden = (stored: unknown): { readonly hidden: number } | null =>
  HiddenAnswer.safeParse(stored).data ?? null;
