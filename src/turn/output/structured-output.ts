import { openCalls, type EntryOf, type JournalEntry } from "../../session/entries.ts";
import type { RunningTurn } from "../../session/turns.ts";
import {
  ANSWER_TOOL,
  answered,
  failedAnswers,
  unanswered,
  unansweredTwice,
  type AnswerFormat,
} from "./output-format.ts";
import { settleTurn, type TurnEnd } from "../settle.ts";
import type { StepContext } from "../step.ts";

/**
 * Ends a turn that was asked for JSON and has given it, or has failed to twice; whether it did. Asked when no call of the
 * newest step is open.
 */
export function settleStructured(
  context: StepContext,
  turn: RunningTurn,
  entries: readonly JournalEntry[],
): boolean {
  const { format } = context.prepared;
  const end = format ? endOf(format, entries) : null;
  if (!end) return false;
  const { core, hasAfterTurn } = context;
  settleTurn(core, turn, end, { commit: "end", epoch: core.epoch, hasAfterTurn });
  return true;
}

/** How the newest step ends the turn by calling the tool; `null` when it does not. */
function endOf(format: AnswerFormat, entries: readonly JournalEntry[]): TurnEnd | null {
  const step = entries.findLast((entry) => entry.kind === "step");
  if (!step || openCalls(entries).length > 0) return null;
  const problems: string[] = [];
  for (const part of step.parts) {
    if (part.type !== "tool-call" || part.name !== ANSWER_TOOL) continue;
    const result = resultOf(part.call, entries);
    if (result?.status === "denied") return unanswered(`It was denied: ${said(result)}`);
    const judged = format.judgeInput(part.input);
    if ("value" in judged && result?.status === "success") return answered(judged.value);
    problems.push(...("problems" in judged ? judged.problems : [said(result)]));
  }
  if (problems.length === 0 || failedAnswers(entries) < 2) return null;
  return unansweredTwice(problems);
}

const resultOf = (call: string, entries: readonly JournalEntry[]): EntryOf<"result"> | undefined =>
  entries.findLast(
    (entry): entry is EntryOf<"result"> => entry.kind === "result" && entry.call === call,
  );

const said = (result: EntryOf<"result"> | undefined): string =>
  result?.content.map((part) => (part.type === "text" ? part.text : "")).join(" ") ?? "";
