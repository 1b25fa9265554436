import * as z from "zod";
import type { Notes } from "../../turn/capability.ts";

const Seq = z.int().nonnegative();

const FlushNotes = z.object({
  cursor: z
    .object({ seq: Seq, within: z.int().positive(), outside: z.literal(true) })
    .partial({ within: true, outside: true })
    .readonly(),
  /** Taken out of the conversation, and on its way to the ledger. */
  letter: z
    .object({
      op: z.string(),
      path: z.string(),
      text: z.string(),
      /** As of its stretch; 0 where it was not kept. */
      saidAt: z.number().default(0),
    })
    .readonly()
    .optional(),
  /** Up to this seq the throttle has let it through. */
  granted: Seq.optional(),
  /** How often in a row the model could not answer, as the request was too much or was refused. */
  halvings: z.int().nonnegative().optional(),
  /** How often of these the provider refused, or was asked about so little that less is not asked about. */
  refused: z.int().nonnegative().optional(),
});

/** How far a session was flushed. */
export type FlushNotes = z.output<typeof FlushNotes>;

/** What is kept of that. Throws where it cannot be read: nothing is flushed twice for that. */
export function readNotes({ read }: Notes): FlushNotes {
  const kept = read();
  return kept === null ? { cursor: { seq: 0 } } : FlushNotes.parse(kept);
}
