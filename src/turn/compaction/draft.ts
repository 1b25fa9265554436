import type { ContextSize } from "../../session/entries.ts";
import type { Draft } from "../../session/state-documents.ts";
import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import { noUsage } from "../../shared/messages.ts";
import { leadText } from "../context/context-messages.ts";
import { LostTurn, type SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import type { CompactionConfig } from "./config.ts";
import type { Cut } from "./cut.ts";
import { summarise } from "./summarise.ts";

export type Drafting = {
  readonly config: CompactionConfig;
  readonly cut: Cut;
  readonly before: ContextSize;
  /** A summary of more tokens is none. */
  readonly most: number;
  /** Aborts when nobody wants it any more. */
  readonly signal: AbortSignal;
};

/** Asks for the summary of what a cut leaves out. Throws `LostTurn` when the signal aborts, and nothing else. */
export async function draftSummary(
  core: SessionCore,
  harness: Pick<Harness, "model" | "context" | "retry">,
  { config, cut, before, most, signal }: Drafting,
): Promise<Draft> {
  const { clock, context, platform } = core;
  const model = harness.context.summariser ?? harness.model;
  const of = context.document;
  const begun = clock.now();
  const { from, turn } = cut;
  const start = turn === undefined ? { from } : { from, turn };
  const head = { of, ...start, before, model: model.id };
  // What was asked in the turn that the context begins in is shown, but not among what is cut.
  const carried = context.view.filter(({ seq }) => seq < of.from);
  try {
    const { text, usage } = await summarise({
      model,
      config,
      retry: harness.retry,
      clock,
      known: leadText(of),
      entries: [...carried, ...cut.left],
      most,
      signal,
    });
    return { ...head, summary: text, why: "", usage, ms: clock.now() - begun };
  } catch (error) {
    if (signal.aborted || core.isDeleted) throw new LostTurn();
    platform.log("warn", "summary_failed", errorFacts(error));
    const why = error instanceof CarrelError ? error.message : "The summary could not be written.";
    return { ...head, summary: null, why, usage: noUsage, ms: clock.now() - begun };
  }
}
