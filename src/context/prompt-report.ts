import type { LayerName } from "../shared/workspace-files.ts";
import type { FittedEntries } from "./entries.ts";
import type { Fitted } from "./sections.ts";
import { estimateTokens } from "./tokens.ts";

/** What became of one source of the prompt (promise C9). */
export type PromptPart = {
  /** The tag it stands in, or `system_prompt`, `guidance`, `knowledge_files`, `session_context`, `environment_memory`. */
  readonly what: string;
  readonly path?: string;
  readonly layer?: LayerName;
  /** Characters of the source; of a file that is not text, its bytes. */
  readonly chars: number;
  /** Characters of the source that are in the prompt. */
  readonly shown: number;
  /** What it costs there, estimated. */
  readonly tokens: number;
  readonly state: "loaded" | "cut" | "empty" | "missing" | "not text";
  /** How many of its entries are in the prompt; a text without any has none of this. */
  readonly entries?: { readonly shown: number; readonly total: number };
  /** In words, unless it is loaded whole. */
  readonly why?: string;
};

/** What a prompt costs, and what of each source is in it, in the order of the prompt. */
export type PromptReport = {
  readonly chars: number;
  /** Of the whole prompt, estimated; tools and messages apart. */
  readonly tokens: number;
  /** What MEMORY.md may cost beside the other files; `null` when it is not in the prompt. */
  readonly memoryTokens: number | null;
  readonly parts: readonly PromptPart[];
};

type Origin = Pick<PromptPart, "what" | "path" | "layer">;

/** The report on a text that was made to fit. `why` says what a cut is due to. */
export function partOf(
  origin: Origin,
  { text, shown, total }: Fitted,
  why = "Its share of the prompt is full.",
): PromptPart {
  const facts = { ...origin, chars: total, shown, tokens: estimateTokens(text) };
  if (total === 0) return { ...facts, state: "empty", why: "It is blank." };
  return shown < total ? { ...facts, state: "cut", why } : { ...facts, state: "loaded" };
}

/** The report on an added section; `unlisted` entries were left out before. */
export function sectionPart(
  what: string,
  fitted: Fitted,
  entries: FittedEntries,
  unlisted: number,
): PromptPart {
  const text = [fitted.text, entries.text].filter(Boolean).join("\n");
  const part = partOf(
    { what },
    { text, shown: fitted.shown + entries.shownChars, total: fitted.total + entries.chars },
  );
  const total = entries.total + unlisted;
  if (total === 0) return part;
  const counted = { ...part, entries: { shown: entries.shown, total } };
  if (entries.shown === total) return counted;
  return { ...counted, state: "cut", why: `${entries.shown} of ${total} entries are shown.` };
}

/** The report on a file that does not exist. */
export const missingPart = (origin: Origin): PromptPart => ({
  ...origin,
  chars: 0,
  shown: 0,
  tokens: 0,
  state: "missing",
  why: "There is no such file.",
});

/** The report on a file that is not text; `notice` stands in its place. */
export const notTextPart = (origin: Origin, size: number, notice: string): PromptPart => ({
  ...origin,
  chars: size,
  shown: 0,
  tokens: estimateTokens(notice),
  state: "not text",
  why: "It is not UTF-8 text, or longer than 1 MiB.",
});
