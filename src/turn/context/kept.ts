import { neutraliser } from "../../context/tags.ts";
import type { EntryOf, JournalEntry } from "../../session/entries.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import { groupTurns } from "../../session/transcript.ts";
import type { RunningTurn } from "../../session/turns.ts";
import { textOf } from "./shorter.ts";

/** A result with a name: the newest one of each name stays in the model's context whole. */
export type KeptResult = EntryOf<"result"> & { readonly keep: string };

/** Texts that are shown beside a conversation that was made shorter, all together, in characters. */
const MAX_CHARS = 60_000;
/** Of those that are not, so many are named. */
const MAX_NAMED = 20;

const KEPT = "kept_results";
const ABOUT =
  "Results of tools from before, as they were given. They hold unless a newer one follows.";

/** What is known of a session's context where it is made shorter. */
export type KeptContext = {
  readonly document: ContextDocument;
  /** Results before it, which are shown all the same. */
  readonly kept: readonly KeptResult[];
  readonly entries: readonly JournalEntry[];
};

/** The turn that goes on: its answer may yet be given anew, all earlier ones' may not. `null` where that does not matter. */
type Turn = Pick<RunningTurn, "id" | "start"> | null;

/** Whether it is one. What failed is not kept. */
export const isKept = (entry: JournalEntry): entry is KeptResult =>
  entry.kind === "result" && entry.status === "success" && entry.keep !== undefined;

/**
 * The results that count, oldest first: the newest of each name, and the newest from before `turn`, as that counts again
 * when the turn's answer is given anew. Without those that were let go.
 */
export function liveResults(context: KeptContext, turn: Turn): KeptResult[] {
  const newest = new Map<string, KeptResult>();
  for (const result of resultsOf(context)) {
    const isOwn = turn !== null && result.turn === turn.id;
    newest.set(`${isOwn ? "own" : "earlier"} ${result.keep}`, result);
  }
  return [...newest.values()]
    .filter((result) => !isLetGo(result, context.document))
    .toSorted((a, b) => a.seq - b.seq);
}

function resultsOf({ kept, entries, document }: KeptContext): KeptResult[] {
  const turns = groupTurns(entries).flatMap((turn) => turn.entries);
  return [...kept, ...turns.filter(isKept).filter(({ seq }) => seq >= document.from)];
}

/** Whether it is in the context but shown cut. */
const isLetGo = (
  { seq }: KeptResult,
  { from, pruned = 0, spared = [] }: ContextDocument,
): boolean => seq >= from && seq < pruned && !spared.includes(seq);

type Kept = Pick<ContextDocument, "kept" | "named">;

/** What of results a context shows that begins as `cut` says: the newest whose texts fit, and the names of all others. */
export function keptBefore(
  context: KeptContext,
  { from, turn: start }: Pick<ContextDocument, "from" | "turn">,
  turn: Turn,
): Kept {
  // Where the turn's answer is given anew, the context from before this cut counts again.
  const known = start === turn?.start ? null : turn;
  const live = liveResults(context, known);
  const there = new Set(live.flatMap((one) => (one.turn === known?.id ? [] : [one.keep])));
  let left = MAX_CHARS;
  const kept: number[] = [];
  const long: string[] = [];
  for (const result of live.filter(({ seq }) => seq < from).toReversed()) {
    const { length } = textOf(result.content);
    if (length > left) long.push(result.keep);
    else {
      left -= length;
      kept.unshift(result.seq);
    }
  }
  const letGo = resultsOf(context)
    .filter((result) => result.seq < from && isLetGo(result, context.document))
    .map(({ keep }) => keep)
    .toReversed();
  const before = [...letGo, ...(context.document.named ?? [])].filter((name) => !there.has(name));
  return withNames(kept, [...long, ...before]);
}

function withNames(kept: readonly number[], names: readonly string[]): Kept {
  const named = [...new Set(names)].slice(0, MAX_NAMED);
  return {
    ...(kept.length === 0 ? {} : { kept }),
    ...(named.length === 0 ? {} : { named }),
  };
}

/** Which results that are older than `pruned` stay whole all the same. */
export function sparedBelow(
  pruned: number,
  live: readonly KeptResult[],
  { from }: ContextDocument,
): Pick<ContextDocument, "spared"> {
  const spared = live.filter(({ seq }) => seq >= from && seq < pruned).map(({ seq }) => seq);
  return spared.length === 0 ? {} : { spared };
}

/** The document without the oldest of these results: named where it is before the context, else shown cut. */
export function withoutOldest(
  document: ContextDocument,
  [oldest, ...newer]: readonly KeptResult[],
): ContextDocument {
  if (!oldest) return document;
  if (oldest.seq < document.from) {
    const { kept = [], named = [], ...rest } = document;
    const seqs = kept.filter((seq) => seq !== oldest.seq);
    return { ...rest, ...withNames(seqs, [oldest.keep, ...named]) };
  }
  const { spared: _, ...rest } = document;
  const pruned = Math.max(rest.pruned ?? 0, oldest.seq + 1);
  return { ...rest, pruned, ...sparedBelow(pruned, newer, document) };
}

/** Results as the model reads them again, after what stands for the conversation before; empty where there are none. No text in it can close its tags. */
export function keptText(
  results: readonly KeptResult[],
  { named = [] }: Pick<ContextDocument, "named">,
): string {
  if (results.length === 0 && named.length === 0) return "";
  const neutralise = neutraliser([]);
  const texts = results.map(({ keep, content }) => {
    const text = neutralise(textOf(content));
    return `<kept_result name="${attribute(keep)}">\n${text}\n</kept_result>`;
  });
  const names = named.map((name) => `"${attribute(name)}"`).join(", ");
  const long = `Too long to be shown here, so call their tools again where you need them: ${names}.`;
  const lines = [ABOUT, ...texts, ...(named.length === 0 ? [] : [long])];
  return `<${KEPT}>\n${lines.join("\n")}\n</${KEPT}>`;
}

/** On one line. */
const attribute = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
