import type { TurnOutcome } from "../shared/events.ts";
import type { ContentPart, FinishReason, StepPart, ToolStatus, Usage } from "../shared/messages.ts";

/** A fact of a session. The journal is append-only; everything else about a session is derived from it. */
export type JournalEntry = {
  readonly seq: number;
  readonly turn: string;
  readonly at: number;
} & Fact;

/** Files that the model was shown whole, or wrote, with the etag that each had then. */
export type SeenFiles = Readonly<Record<string, string>>;

/** The beginning of a file that a message names, or all of it. `text` cannot close the tag that it is shown in. */
export type AttachedFile = {
  readonly path: string;
  readonly text: string;
  /** There are more lines of it. */
  readonly cut: boolean;
  /** The last line is there in part only, because it is too long. */
  readonly lineCut?: boolean;
};

export type Fact =
  /** A turn was taken up. `replaces`: the turn whose answer it gives anew; `message`: the id of the message, then. */
  | {
      readonly kind: "user";
      readonly content: readonly ContentPart[];
      readonly replaces?: string;
      readonly message?: string;
    }
  /** Files that the message names, as they were when the turn began; at most once a turn, before its first step. */
  | {
      readonly kind: "attached";
      readonly files: readonly AttachedFile[];
      readonly seen?: SeenFiles;
    }
  /** The model answered, or was cut short (`stopped`, `failed`). `step` counts from 1 within the turn. */
  | {
      readonly kind: "step";
      readonly step: number;
      readonly model: string;
      readonly parts: readonly StepPart[];
      readonly finish: StepFinish;
      readonly usage: Usage;
    }
  /** A tool that is not `pure` is about to run. */
  | { readonly kind: "intent"; readonly call: string; readonly name: string }
  | {
      readonly kind: "result";
      readonly call: string;
      readonly name: string;
      readonly status: ToolStatus;
      readonly content: readonly ContentPart[];
      readonly seen?: SeenFiles;
    }
  /**
   * An attempt at a step was given up, or (`attempt` null) the turn was interrupted between steps.
   * `interrupted` entries are what recovery counts.
   */
  | {
      readonly kind: "reset";
      readonly attempt: number | null;
      readonly reason: "interrupted" | "retry";
    }
  | {
      readonly kind: "end";
      readonly outcome: TurnOutcome;
      readonly error?: { readonly code: string; readonly message: string };
      readonly usage: Usage;
      readonly steps: number;
    };

export type StepFinish = FinishReason | "stopped" | "failed";

export type EntryOf<Kind extends Fact["kind"]> = Extract<JournalEntry, { kind: Kind }>;

/** The calls of the last step that have no result yet, in call order: what a turn has to do before it may ask again. */
export function openCalls(
  entries: readonly JournalEntry[],
): Extract<StepPart, { type: "tool-call" }>[] {
  const settled = new Set<string>();
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.kind === "result") settled.add(entry.call);
    if (entry?.kind === "step") {
      return entry.parts.flatMap((part) =>
        part.type === "tool-call" && !settled.has(part.call) ? [part] : [],
      );
    }
  }
  return [];
}
