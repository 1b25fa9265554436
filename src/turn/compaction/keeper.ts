import { NO_TURN, type Fact, type JournalEntry } from "../../session/entries.ts";
import type { ContextDocument, Draft } from "../../session/state-documents.ts";
import type { RunningTurn } from "../../session/turns.ts";
import { noUsage } from "../../shared/messages.ts";
import { addLaterJobs } from "../after/later.ts";
import { offeredSpecs } from "../calls/groups.ts";
import {
  keptBefore,
  liveResults,
  sparedBelow,
  withoutOldest,
  type KeptResult,
} from "../context/kept.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import type { PreparedTurn } from "../prepare.ts";
import { boundsOf, MAX_CHARS, type Bounds, type Keep } from "./bounds.ts";
import { chooseCut, type Cut } from "./cut.ts";
import { Measure, type Frame, type RequestSize } from "./size.ts";
import { firstOf, storeContext, turnsSince } from "./store.ts";
import { marksOf } from "./watermarks.ts";

/** Turns between two compactions that only the number of messages asks for, and after one that brought nothing. */
export const REST_TURNS = 20;
/** A summary that frees less is none. */
export const LEAST_FREED = 0.1;

/** Whether a request is so long, or what is held in memory too much. */
export const isOver = ({ tokens, chars }: RequestSize, most: number): boolean =>
  tokens >= most || chars > MAX_CHARS;

/** A frame with all tools of a turn. */
export type PreparedFrame = Frame & Pick<PreparedTurn, "tools">;

type Compacted = Extract<Fact, { kind: "compacted" }>;

/** The context of one session: how long it is, and each way in which it is made shorter, one commit each. */
export class Keeper {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #measure = new Measure();
  #frame: Frame | null = null;

  constructor(core: SessionCore, harness: Harness) {
    this.#core = core;
    this.#harness = harness;
  }

  get document(): ContextDocument {
    return this.#core.context.document;
  }

  /** Takes what the next request has beside messages. */
  frame(prepared: PreparedFrame): void {
    const { model, system } = prepared;
    this.#frame = { model, system, specs: offeredSpecs(prepared, this.#core.groups) };
  }

  /** Whether any request is known yet. */
  get isFramed(): boolean {
    return this.#frame !== null;
  }

  /** Of the next request, or of what it would be with another document. */
  size(document = this.document): RequestSize {
    const { context, viewer } = this.#core;
    if (!this.#frame) throw new Error("a context is measured before any request");
    if (document === context.document) return this.#measure.request(this.#frame, context, document);
    // No step was asked for with that one.
    const shown = {
      view: viewer.of(context.entries, document),
      kept: context.keptOf(document),
    };
    return this.#measure.request(this.#frame, shown, { ...document, changed: Infinity });
  }

  bounds(): Bounds {
    const model = this.#frame?.model ?? this.#harness.model;
    const { learned } = this.document;
    const known = model.contextWindow ?? Infinity;
    const window = Math.min(known, learned?.model === model.id ? learned.tokens : Infinity);
    return boundsOf(this.#harness.context.compaction, window === Infinity ? null : window);
  }

  /** Tokens of one entry as it is shown. */
  tokensOf(entry: JournalEntry): number {
    return this.#measure.tokensOf(entry);
  }

  /** Results that stay whole as long as there is room for anything. */
  live(turn: RunningTurn): readonly KeptResult[] {
    return liveResults(this.#core.context, turn);
  }

  /** Tokens that these results in it still take where they are before the context, which `kept` says. */
  #stillTaken(kept: Pick<ContextDocument, "kept" | "named">): number {
    const { from } = this.document;
    const results = this.#core.context.keptOf({ from, ...kept });
    return this.#measure.sumOf(results.filter(({ seq }) => seq >= from));
  }

  /** Tokens, as the provider counts them, that stay of its results wherever it is cut. */
  keptTokens(turn: RunningTurn): number {
    const kept = keptBefore(this.#core.context, { from: Infinity }, turn);
    return this.#stillTaken(kept) * this.size().scale;
  }

  /** Whether a cut frees enough to be worth a summary. */
  isWorth(cut: Cut, { tokens, scale }: RequestSize, turn: RunningTurn | null): boolean {
    const kept = this.#stillTaken(keptBefore(this.#core.context, cut, turn));
    return (cut.tokens - kept) * scale >= tokens * LEAST_FREED;
  }

  /** The cut that leaves so much; `keep` is in tokens as the provider counts them. */
  choose(keep: Keep, { scale } = this.size()): Cut | null {
    const { entries, view } = this.#core.context;
    const { from } = this.document;
    const within = { ...keep, tokens: keep.tokens / scale };
    return chooseCut(entries, view, from, within, this.#measure);
  }

  /** Not again so soon after a summary could not be had: the context has to grow first, or 20 turns have to end. */
  mayTry({ tokens }: RequestSize): boolean {
    const { last } = this.document;
    if (last?.isFailure !== true) return true;
    const { window, trigger } = this.bounds();
    const grown = last.tokens + (window ?? trigger) * LEAST_FREED;
    return tokens >= grown || turnsSince(this.#core, last.seq) >= REST_TURNS;
  }

  /** Shows old results and arguments cut, where the options say so. */
  mark(turn: RunningTurn, enough: number): void {
    const { compaction } = this.#harness.context;
    if (!compaction) return;
    const { context, viewer } = this.#core;
    const size = this.size();
    const live = this.live(turn);
    const is = { isOver: isOver(size, enough), tokens: size.tokens, live };
    const marks = marksOf(compaction, context.view, viewer, this.#measure, is);
    if (Object.keys(marks).length > 0) this.#storeMarks(turn, this.#marked(turn, marks));
  }

  /** Shows all of them cut. */
  markAll(turn: RunningTurn): void {
    const seq = this.#core.nextSeq;
    const marked = this.#marked(turn, { pruned: seq, truncated: seq });
    if (this.size(marked).tokens < this.size().tokens) this.#storeMarks(turn, marked);
  }

  /** Lets results go that stay whole, oldest first, until the context is below `most`. */
  letGo(turn: RunningTurn, most: number): void {
    let document = this.document;
    for (let live = this.live(turn); live.length > 0; live = live.slice(1)) {
      if (!isOver(this.size(document), most)) break;
      document = withoutOldest(document, live);
    }
    if (document !== this.document) this.#storeMarks(turn, document);
  }

  #marked(
    turn: RunningTurn,
    marks: Pick<ContextDocument, "pruned" | "truncated">,
  ): ContextDocument {
    const { spared: _, ...document } = { ...this.document, ...marks };
    return { ...document, ...sparedBelow(document.pruned ?? 0, this.live(turn), document) };
  }

  #storeMarks(turn: RunningTurn, marked: ContextDocument): void {
    const changed = this.#core.nextSeq - 1;
    storeContext(this.#core, turn, "compact", () => ({ ...marked, changed }));
  }

  /** Puts a summary in the place of what it is of; whether that was done. One that frees too little is a failure. */
  commitDraft(turn: RunningTurn, draft: Draft): boolean {
    const { summary, model, usage, ms, before } = draft;
    const rest = { before, model, usage, ms };
    if (summary === null) {
      this.#store(turn, this.document, { ...rest, how: "failed", why: draft.why });
      return false;
    }
    const document = this.#after(turn, draft, summary);
    if (this.size(document).tokens > this.size().tokens * (1 - LEAST_FREED)) {
      const why = "The summary would have freed too little.";
      this.#store(turn, this.document, { ...rest, how: "failed", why });
      return false;
    }
    this.#store(turn, document, { ...rest, how: "summary" });
    return true;
  }

  /** Leaves out what a cut leaves out, without a summary. */
  cutOff(turn: RunningTurn, cut: Cut, why: string): void {
    const { summary } = this.document;
    this.#store(turn, this.#after(turn, cut, summary), { ...this.#plain(), how: "cut", why });
  }

  #plain() {
    const { tokens, messages } = this.size();
    const model = this.#frame?.model ?? this.#harness.model;
    return { before: { tokens, messages }, model: model.id, usage: noUsage, ms: 0 };
  }

  #after(
    running: RunningTurn,
    { from, turn }: Pick<Cut, "from" | "turn">,
    summary: string | undefined,
  ): ContextDocument {
    const first = firstOf(this.#core, turn ?? from);
    const { pruned = 0, truncated = 0, spared = [], learned, compacted = 0 } = this.document;
    const stay = spared.filter((seq) => seq >= from);
    const start = turn === undefined ? { from } : { from, turn };
    return this.#fitted({
      from,
      ...(turn === undefined ? {} : { turn, ...this.#uncut(turn) }),
      compacted: Math.max(compacted, from - 1),
      ...(summary === undefined ? {} : { summary }),
      ...(first === undefined ? {} : { first }),
      ...keptBefore(this.#core.context, start, running),
      ...(pruned > from ? { pruned } : {}),
      ...(stay.length > 0 ? { spared: stay } : {}),
      ...(truncated > from ? { truncated } : {}),
      ...(learned === undefined ? {} : { learned }),
    });
  }

  /** Without the oldest of what it keeps, where that alone would make it too long again. */
  #fitted(fitting: ContextDocument): ContextDocument {
    const { kept, ...bare } = fitting;
    if (!kept) return fitting;
    const most = this.bounds().trigger * (1 - LEAST_FREED);
    if (isOver(this.size(bare), most)) return fitting;
    let document = fitting;
    for (let at = 0; at < kept.length && isOver(this.size(document), most); at++)
      document = withoutOldest(document, this.#core.context.keptOf(document));
    return document;
  }

  /** The newest context that did not begin inside this turn. */
  #uncut(turn: number): Pick<ContextDocument, "uncut"> {
    const { uncut, ...document } = this.document;
    if (document.turn !== turn) return { uncut: document };
    return uncut === undefined ? {} : { uncut };
  }

  #store(
    turn: RunningTurn,
    document: ContextDocument,
    { how, ...facts }: Omit<Compacted, "kind" | "from" | "summary" | "after">,
  ): void {
    const core = this.#core;
    const { tokens, messages } = how === "failed" ? facts.before : this.size(document);
    const after = { tokens, messages };
    const { from, summary } = document;
    const said = how === "failed" || summary === undefined ? {} : { summary };
    const fact: Compacted = { kind: "compacted", how, from, ...said, ...facts, after };
    storeContext(core, turn, "compact", (tx) => {
      const { seq } = tx.append(NO_TURN, fact);
      if (how !== "failed") addLaterJobs(core, this.#harness);
      const last = { seq, tokens, isFailure: how !== "summary" };
      return { ...document, last, ...(how === "failed" ? {} : { changed: seq }) };
    });
    const { before, why } = facts;
    const figures = { before: before.tokens, after: tokens, ...(why ? { why } : {}) };
    core.platform.log(how === "summary" ? "info" : "warn", `context_${how}`, figures);
  }
}
