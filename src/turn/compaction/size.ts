import { estimateMessageTokens, estimateTokens, estimateToolTokens } from "../../context/tokens.ts";
import type { Model, ToolSpec } from "../../model/model.ts";
import type { EntryOf, JournalEntry } from "../../session/entries.ts";
import { sizeOf as charsOf } from "../../session/journal.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import { attachedParts, groupTurns, saidIn } from "../../session/transcript.ts";
import type { ContentPart } from "../../shared/messages.ts";
import { leadText } from "../context/context-messages.ts";

/** What the next request to the model comes to. */
export type RequestSize = {
  readonly tokens: number;
  readonly messages: number;
  /** Text and images in memory. */
  readonly chars: number;
  /** Of `tokens`, what is no message: system prompt, tools, and what was said before the context. */
  readonly fixed: number;
  /** Tokens as the provider counts them for each estimated one; 1 where it has not counted. */
  readonly scale: number;
};

/** What a request has beside messages. */
export type Frame = {
  readonly model: Model;
  readonly system: string;
  readonly specs: readonly ToolSpec[];
};

/** What a request shows of a conversation: its entries, and results from before them. */
export type Shown = {
  readonly view: readonly JournalEntry[];
  readonly kept: readonly JournalEntry[];
};

/** Where a provider counts less than half, or more than three times as much as is estimated, it does not count requests. */
const SCALES = [0.5, 3] as const;

/** Measures requests. What it has counted once of a text that does not change it knows. */
export class Measure {
  readonly #tokens = new WeakMap<JournalEntry, number>();
  #system: { readonly text: string; readonly tokens: number } | null = null;
  readonly #tools = new WeakMap<ToolSpec, number>();
  /** How the provider counted the newest request that it told of. */
  #scale: { readonly model: string; readonly factor: number } | null = null;

  /** Of an entry as the model is shown it. */
  tokensOf(entry: JournalEntry): number {
    const known = this.#tokens.get(entry);
    if (known !== undefined) return known;
    const tokens = entryTokens(entry);
    this.#tokens.set(entry, tokens);
    return tokens;
  }

  sumOf(entries: readonly JournalEntry[]): number {
    return entries.reduce((sum, entry) => sum + this.tokensOf(entry), 0);
  }

  /**
   * The next request with these entries, and those that are `kept` of before: as the provider counted the newest step, where
   * it did, and what came since.
   */
  request(frame: Frame, { view, kept }: Shown, document: ContextDocument): RequestSize {
    const entries = groupTurns(view).flatMap((turn) => turn.entries);
    const before = [leadText(document), ...(document.named ?? [])].join("\n");
    const fixed = this.#frameTokens(frame) + estimateTokens(before) + this.sumOf(kept);
    const estimate = fixed + this.sumOf(entries);
    const scale = this.#scaleOf(frame, entries, document, estimate);
    return {
      tokens: Math.round(estimate * scale),
      messages: messagesIn(entries),
      chars: [...kept, ...entries].reduce((sum, entry) => sum + charsOf(entry), 0),
      fixed: Math.round(fixed * scale),
      scale,
    };
  }

  /** Made anew only where it changed: schemas and prompts are long. */
  #frameTokens({ system, specs }: Frame): number {
    if (this.#system?.text !== system)
      this.#system = { text: system, tokens: estimateTokens(system) };
    return specs.reduce((sum, spec) => sum + this.#toolTokens(spec), this.#system.tokens);
  }

  #toolTokens(spec: ToolSpec): number {
    const known = this.#tools.get(spec) ?? estimateToolTokens(spec);
    this.#tools.set(spec, known);
    return known;
  }

  #scaleOf(
    { model }: Frame,
    entries: readonly JournalEntry[],
    { changed = 0 }: ContextDocument,
    estimate: number,
  ): number {
    const at = entries.findLastIndex((entry) => isCounted(entry, model.id) && entry.seq > changed);
    const step = entries[at];
    if (step?.kind === "step") {
      const since = this.sumOf(entries.slice(at + 1));
      const counted = step.usage.input + step.usage.output;
      const factor = counted / Math.max(1, estimate - since);
      const [least, most] = SCALES;
      this.#scale = factor >= least && factor <= most ? { model: model.id, factor } : null;
      // What came since is not counted yet: it is taken to be counted as estimated.
      if (this.#scale) return (counted + since) / estimate;
    }
    return this.#scale?.model === model.id ? this.#scale.factor : 1;
  }
}

const isCounted = (entry: JournalEntry, model: string): boolean =>
  entry.kind === "step" &&
  entry.model === model &&
  entry.usage.input > 0 &&
  entry.finish !== "stopped" &&
  entry.finish !== "failed";

function entryTokens(entry: JournalEntry): number {
  switch (entry.kind) {
    case "user":
    case "steered":
      return userTokens(entry.content);
    case "attached":
      return userTokens(attachedParts(entry.files));
    case "repair":
      return userTokens([{ type: "text", text: entry.text }]);
    case "step":
      return stepTokens(entry);
    case "result":
      return estimateMessageTokens({ role: "tool", results: [entry] });
    default:
      return 0;
  }
}

const userTokens = (content: readonly ContentPart[]): number =>
  estimateMessageTokens({ role: "user", content });

function stepTokens(entry: EntryOf<"step">): number {
  const parts = saidIn(entry);
  return parts.length === 0 ? 0 : estimateMessageTokens({ role: "assistant", parts });
}

/** How many messages these make for the model. */
export function messagesIn(entries: readonly JournalEntry[]): number {
  let messages = 0;
  let isUser = false;
  for (const entry of entries) {
    if (entry.kind === "step") {
      const parts = saidIn(entry);
      if (parts.length === 0) continue;
      messages += parts.some(({ type }) => type === "tool-call") ? 2 : 1;
      isUser = false;
    } else if (["user", "attached", "steered", "repair"].includes(entry.kind)) {
      // User messages that adjoin are one.
      messages += isUser ? 0 : 1;
      isUser = true;
    }
  }
  return messages;
}
