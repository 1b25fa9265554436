import { emptyContext, type ContextDocument, type Draft } from "../../session/state-documents.ts";
import type { RunningTurn } from "../../session/turns.ts";
import { errorFacts } from "../../shared/log.ts";
import type { TurnScope } from "../capability.ts";
import { LostTurn, type SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { keepOf, MAX_CHARS, type Keep } from "./bounds.ts";
import type { CompactionConfig } from "./config.ts";
import type { Cut } from "./cut.ts";
import { draftSummary, type Drafting } from "./draft.ts";
import { isOver, Keeper, LEAST_FREED, REST_TURNS, type PreparedFrame } from "./keeper.ts";
import { isShortenable, moveToFiles } from "./shorten.ts";
import type { RequestSize } from "./size.ts";
import { storeContext, storeDraft, turnsSince } from "./store.ts";
import { isWithdrawn, takeBack } from "./take-back.ts";

/** What may stay in view of a turn that the context begins in the middle of, in tokens. */
const CARRIED_TOKENS = 1_200;
/** Where all has to fit, so much of what does is used. */
const SURE = 0.9;

/** Of what the model takes, a summary may take so much. */
const MOST_SUMMARY = 0.25;

const FULL = "The model takes no more.";
const REFUSED = "The model refused a longer one.";
const TOO_LITTLE = "What could be summarised is too little.";

/** A turn whose next step is to have room. */
export type Making = { readonly prepared: PreparedFrame; readonly scope: TurnScope };

/** How far the context has to shrink. */
type Goal = {
  /** From here on something is done. */
  readonly trigger: number;
  /** From here on it is made to fit, whatever is lost. */
  readonly most: number;
  readonly keep: Keep;
  /** Single texts of so many tokens go to files before all else. */
  readonly text: number;
  readonly why: string;
};

const upTo = (tokens: number): Keep => ({ tokens, messages: Infinity, chars: MAX_CHARS / 2 });

/** Keeps the context of one session within what its model takes: before each step, after an overflow, and between turns. */
export class Compactor {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #keeper: Keeper;
  /** A summary that is being written while nobody waits for it. */
  #background: Promise<void> | null = null;
  /** The turn that was made room for last. */
  #turn: string | null = null;

  constructor(core: SessionCore, harness: Harness) {
    this.#core = core;
    this.#harness = harness;
    this.#keeper = new Keeper(core, harness);
  }

  /** Empties the context for this turn, where each begins with an empty one; else takes back what a withdrawn turn changed. */
  beginTurn(turn: RunningTurn): void {
    if (!this.#harness.context.isPerTurn) return takeBack(this.#core, turn);
    const { document } = this.#keeper;
    if (document.from === turn.start || document.turn === turn.start) return;
    storeContext(this.#core, turn, "compact", () => emptyContext(turn.start, document));
  }

  /** Makes room for the next step where there is too little. Throws `LostTurn` when the turn is over. */
  async makeRoom(making: Making, turn: RunningTurn): Promise<void> {
    const keeper = this.#keeper;
    keeper.frame(making.prepared);
    const bounds = keeper.bounds();
    if (this.#turn !== turn.id) this.#takeUp(turn, bounds.trigger);
    this.#turn = turn.id;
    if (!isOver(keeper.size(), bounds.trigger)) return;
    const { compaction } = this.#harness.context;
    const keep = compaction ? keepOf(compaction, bounds) : upTo(bounds.most / 2);
    const { trigger, most } = bounds;
    await this.#relieve(making, this.#running(turn), {
      trigger,
      most,
      keep,
      text: most / 2,
      why: FULL,
    });
  }

  /**
   * Makes the context about half as long after the model has refused it as too long, which is remembered. Whether asking
   * again makes sense. Throws `LostTurn` when the turn is over.
   */
  async recover(making: Making, turn: RunningTurn): Promise<boolean> {
    const keeper = this.#keeper;
    keeper.frame(making.prepared);
    const before = keeper.size();
    const tokens = Math.floor(Math.min(keeper.bounds().window ?? Infinity, before.tokens * SURE));
    const learned = { model: making.prepared.model.id, tokens };
    storeContext(this.#core, turn, "compact", () => ({ ...keeper.document, learned }));
    const half = Math.floor(tokens / 2);
    const taken = before.fixed + CARRIED_TOKENS + keeper.keptTokens(this.#running(turn));
    const keep = upTo(Math.max(0, half - taken));
    const goal = { trigger: half, most: half, keep, text: tokens / 4, why: REFUSED };
    await this.#relieve(making, this.#running(turn), goal);
    return keeper.size().tokens <= before.tokens * (1 - LEAST_FREED);
  }

  /** Begins what is due once a turn has ended, without waiting for it. Never throws. */
  turnEnded(): void {
    const core = this.#core;
    if (core.isDeleted || core.begun || !this.#keeper.isFramed) return;
    try {
      this.#beginIfDue();
    } catch (error) {
      core.platform.log("error", "compaction_failed", errorFacts(error));
    }
  }

  #running({ id }: RunningTurn): RunningTurn {
    const { running } = this.#core;
    if (running?.id !== id) throw new LostTurn();
    return running;
  }

  /** One thing after the other until it is enough: long texts to files, old results cut, a summary, a cut without one. */
  async #relieve(making: Making, turn: RunningTurn, goal: Goal): Promise<void> {
    const keeper = this.#keeper;
    if (isOver(keeper.size(), goal.most)) await this.#shorten(making, turn, goal.most, goal.text);
    keeper.mark(this.#running(turn), goal.trigger);
    const failure = isOver(keeper.size(), goal.trigger)
      ? await this.#summarise(making, turn, goal)
      : null;
    const cut = isOver(keeper.size(), goal.most) ? this.#lastCut(this.#running(turn), goal) : null;
    if (cut) keeper.cutOff(this.#running(turn), cut, failure ?? goal.why);
    if (!isOver(keeper.size(), goal.most)) return;
    await this.#shorten(making, turn, goal.most, 0);
    if (isOver(keeper.size(), goal.most)) keeper.markAll(this.#running(turn));
    if (isOver(keeper.size(), goal.most)) keeper.letGo(this.#running(turn), goal.most);
  }

  #lastCut(turn: RunningTurn, { most }: Goal): Cut | null {
    const size = this.#keeper.size();
    const kept = this.#keeper.keptTokens(turn);
    const tokens = most * SURE - size.fixed - CARRIED_TOKENS - kept;
    return this.#keeper.choose(upTo(Math.max(0, tokens)), size);
  }

  /** A summary of all but what `goal.keep` keeps, committed; why not, where there is none. */
  async #summarise(making: Making, turn: RunningTurn, goal: Goal): Promise<string | null> {
    const keeper = this.#keeper;
    const config = this.#harness.context.compaction;
    if (!config) return goal.why;
    if (this.#background) {
      await unlessAborted(this.#background, making.scope.signal);
      if (this.#commitDrafted(this.#running(turn)) && !isOver(keeper.size(), goal.trigger))
        return null;
    }
    const size = keeper.size();
    if (!keeper.mayTry(size)) return goal.why;
    const cut = keeper.choose(goal.keep, size);
    if (!cut || !keeper.isWorth(cut, size, this.#running(turn))) return TOO_LITTLE;
    const drafting = this.#draftingOf(config, cut, size, making.scope.signal);
    const draft = await draftSummary(this.#core, this.#harness, drafting);
    const now = this.#running(turn);
    // The cut that follows says why, and counts as the failure that it is.
    if (draft.summary === null && isOver(keeper.size(), goal.most)) return draft.why;
    return keeper.commitDraft(now, draft) ? null : draft.why || goal.why;
  }

  /** Moves texts of at least so many tokens to files, longest first, until the context is below `most`. */
  async #shorten(making: Making, turn: RunningTurn, most: number, least: number): Promise<void> {
    const core = this.#core;
    const keeper = this.#keeper;
    const { entries, view } = core.context;
    const done = new Set([
      ...entries.flatMap((entry) => (entry.kind === "shortened" ? entry.of : [])),
      ...keeper.live(this.#running(turn)).map(({ seq }) => seq),
    ]);
    const long = view
      .filter((entry) => !done.has(entry.seq) && keeper.tokensOf(entry) >= least)
      .filter(isShortenable)
      .toSorted((a, b) => keeper.tokensOf(b) - keeper.tokensOf(a));
    for (const { seq } of long) {
      if (!isOver(keeper.size(), most)) return;
      const entry = entries.find((one) => one.seq === seq);
      if (!entry) continue;
      const fact = await moveToFiles(core, making.scope, entry);
      const now = this.#running(turn);
      storeContext(core, now, "shorten", (tx) => {
        const { seq: changed } = tx.append(now.id, fact);
        return { ...keeper.document, changed };
      });
    }
  }

  /** What is done only before a turn's first step, so that the others begin as that one does. */
  #takeUp(turn: RunningTurn, trigger: number): void {
    const { context } = this.#core;
    if (context.drafted) this.#commitDrafted(turn);
    const from = context.newStart;
    if (from !== null) {
      const { turn: _, uncut: __, ...document } = context.document;
      storeContext(this.#core, this.#running(turn), "compact", () => ({ ...document, from }));
    }
    this.#keeper.mark(this.#running(turn), trigger);
  }

  /** Has a summary written while nobody waits for it, where it is time. */
  #beginIfDue(): void {
    const { isPerTurn, compaction: config } = this.#harness.context;
    const { drafted, document } = this.#core.context;
    if (!config || isPerTurn || this.#background || isOf(drafted, document)) return;
    const keeper = this.#keeper;
    const bounds = keeper.bounds();
    const size = keeper.size();
    if (!keeper.mayTry(size)) return;
    const cut = keeper.choose(keepOf(config, bounds), size);
    const isDue = isOver(size, bounds.trigger) || (cut && this.#isSoft(config, size, cut));
    if (!cut || !isDue || !keeper.isWorth(cut, size, null)) return;
    this.#background = this.#write(config, cut, size).finally(() => (this.#background = null));
    this.#core.platform.keepAlive(this.#background);
  }

  /** Too many messages, most of which could go, and not again so soon. */
  #isSoft({ triggerMessages }: CompactionConfig, { messages }: RequestSize, cut: Cut): boolean {
    if (triggerMessages === 0 || messages < triggerMessages) return false;
    if (cut.messages < messages / 2) return false;
    return turnsSince(this.#core, this.#keeper.document.last?.seq ?? 0) >= REST_TURNS;
  }

  /** Never rejects. The next turn begins with what came of it. */
  async #write(config: CompactionConfig, cut: Cut, size: RequestSize): Promise<void> {
    const core = this.#core;
    // Nobody takes it back: it is bounded by its time, and of no use when the session has gone on without it.
    const { signal } = new AbortController();
    try {
      const drafting = this.#draftingOf(config, cut, size, signal);
      storeDraft(core, await draftSummary(core, this.#harness, drafting));
    } catch (error) {
      if (!(error instanceof LostTurn))
        core.platform.log("error", "compaction_failed", errorFacts(error));
    }
  }

  #draftingOf(
    config: CompactionConfig,
    cut: Cut,
    { tokens, messages }: RequestSize,
    signal: AbortSignal,
  ): Drafting {
    const most = (this.#keeper.bounds().window ?? Infinity) * MOST_SUMMARY;
    return { config, cut, before: { tokens, messages }, most, signal };
  }

  /** Whether the context is now made of what was written after an earlier turn. */
  #commitDrafted(turn: RunningTurn): boolean {
    const { drafted, document, entries } = this.#core.context;
    if (!isOf(drafted, document)) return false;
    if (!isWithdrawn(entries, drafted.turn)) return this.#keeper.commitDraft(turn, drafted);
    // It tells of an answer that is no longer there.
    storeContext(this.#core, turn, "compact", () => document);
    return false;
  }
}

const isOf = (draft: Draft | null, document: ContextDocument): draft is Draft =>
  draft !== null && JSON.stringify(draft.of) === JSON.stringify(document);

/** `work`, or a `LostTurn` as soon as `signal` aborts. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new LostTurn());
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
