import type { Clock } from "../shared/clock.ts";
import type { PendingCall } from "../shared/events.ts";
import type { CommitName } from "../shared/point.ts";
import type { Permissions } from "../shared/permissions.ts";
import type { Sql } from "../shared/sql.ts";
import { UTC } from "../shared/time-zone.ts";
import {
  NO_TURN,
  parkedCalls,
  type EntryOf,
  type Fact,
  type JournalEntry,
  type Parked,
} from "../session/entries.ts";
import { askingChildren } from "../session/children.ts";
import { EventLog } from "../session/event-log.ts";
import { Journal } from "../session/journal.ts";
import type { LiveStep } from "../session/live-step.ts";
import { sessionTables } from "../session/schema.ts";
import { Bell } from "../session/tail.ts";
import {
  loadOpenTurns,
  type BegunTurn,
  type OpenTurn,
  type RunningTurn,
} from "../session/turns.ts";
import { Beside } from "./beside.ts";
import { defaultContext, type ContextOptions } from "./compaction/options.ts";
import { leadText } from "./context/context-messages.ts";
import { SessionContext } from "./context/session-context.ts";
import { View } from "./context/view.ts";
import { SessionPermissions, type OfferedPermissions } from "./rights/session-permissions.ts";
import type { Platform } from "./platform.ts";
import { loadStored, type Stored } from "./stored.ts";
import { Unsaid, type SessionFact } from "./unsaid.ts";

/** What may be written in one commit. */
export type Tx = {
  /** Appends a fact; `seq` only for one that was reserved before, `at` for one that did not happen now. */
  readonly append: (turn: string, fact: Fact, seq?: number, at?: number) => JournalEntry;
  /** The next seq, for a step's attempt or a turn's place in line. Gaps are allowed. */
  readonly reserve: () => number;
  /** Another session is to be told of something, by a job of this commit: at once when it is made. */
  readonly tell: () => void;
};

/** The turn ended, or another instance drives it: whoever notices lets go without a trace. */
export class LostTurn extends Error {
  override name = "LostTurn";
}

const noneParked: Parked = { pending: [], held: [] };

/** The memory of one session object over its tables: loaded once a wake, then kept in step with every commit. */
export class SessionCore {
  readonly platform: Platform;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly events: EventLog;
  readonly bell = new Bell();
  /** What the model sees, and how entries are shown to it. */
  readonly context: SessionContext;
  readonly viewer: View;
  /** Names this instance in the rows of the turns it drives. */
  readonly epoch: string;
  /** Unfinished turns in order of acceptance; only the first may run. */
  open: OpenTurn[];
  live: LiveStep | null = null;
  /** What `title.ts` has looked up already: the name that a person gave, and how the first message begins. */
  readonly known: { title: string | null; opening: string | null } = { title: null, opening: null };
  /** The groups of tools that were activated here. */
  declare groups: Stored["groups"];
  /** Whether tasks have ended that the agent was not told of, and how many turns in a row have begun by themselves. */
  declare hasNews: boolean;
  declare wakes: number;
  /** What the agent plans, and has to do; whether it can plan. */
  declare work: Stored["work"];
  readonly canPlan: boolean;
  /** What is stored of the person's time zone. */
  declare place: Stored["place"];
  /** Whose session it is, where it is a subagent's. */
  readonly role: Stored["role"];
  readonly beside = new Beside();
  #asking: readonly PendingCall[] | null = null;
  #nextSeq: number;
  #isDeleted: boolean;
  readonly #permissions: SessionPermissions;
  readonly #unsaid: Unsaid;
  /** What `#parked` gave, until the next commit that appends. */
  #waits: Parked | null = null;

  /** `offered`: what the operator says of permissions. */
  constructor(
    platform: Platform,
    offered: OfferedPermissions,
    { compaction }: Pick<ContextOptions, "compaction"> = defaultContext,
  ) {
    this.platform = platform;
    this.sql = sessionTables(platform.sql);
    this.clock = platform.clock;
    this.epoch = platform.newId();
    this.canPlan = offered.hasPlanMode === true;
    this.journal = new Journal(this.sql);
    this.events = new EventLog(this.journal, () => this.live);
    this.viewer = new View(compaction ?? undefined);
    const begun = () => this.begun?.start ?? null;
    this.context = new SessionContext(this.sql, this.journal, this.viewer, begun);
    const { isDeleted, permissions, role, ...stored } = loadStored(this.sql);
    this.role = role;
    Object.assign(this, stored);
    this.#isDeleted = isDeleted;
    this.open = this.#isDeleted ? [] : loadOpenTurns(this.sql);
    const taken = this.open.map((one) => Math.max(one.no, "attempt" in one ? one.attempt : 0));
    this.#nextSeq = Math.max(this.journal.last, ...taken) + 1;
    this.#permissions = new SessionPermissions(this.sql, offered, permissions);
    this.#unsaid = new Unsaid(this.sql, this.#isStepOpen);
  }

  get running(): RunningTurn | null {
    const first = this.open[0];
    return first?.state === "running" ? first : null;
  }

  /** The turn that runs or waits. */
  get begun(): BegunTurn | null {
    const first = this.open[0];
    return first && "start" in first ? first : null;
  }

  /** Whether a driver has something to do: a turn is not ended, and does not wait for someone outside. */
  get isBusy(): boolean {
    const [first] = this.open;
    return first !== undefined && first.state !== "waiting";
  }

  /** Whether the session was deleted: then nothing of it is answered any more. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Forgets everything in memory, after the commit that marks the session as deleted. */
  markDeleted(): void {
    this.#isDeleted = true;
    for (const task of this.beside.tools.keys()) this.beside.stopTool(task);
    this.open = [];
    this.live = null;
    this.journal.forget();
    this.reloadContext();
    this.bell.ring();
  }

  /** What the session's person allows: the same object until that may have changed. */
  get permissions(): Permissions {
    return this.#permissions.current;
  }

  /** Stores other permissions, which hold at once, and a fact that says so, in the caller's commit. */
  writePermissions(tx: Tx, permissions: Permissions, by: string): void {
    this.#permissions.write(permissions);
    this.say(tx, { kind: "permissions", by, ...permissions });
  }

  /** A fact of no turn, in the caller's commit: said at once, or as soon as the step that is being streamed is. */
  say(tx: Tx, fact: SessionFact): void {
    if (this.#isStepOpen) this.#unsaid.keep(fact);
    else tx.append(NO_TURN, fact);
  }

  /** Whether the newest attempt at a step was not given up, nor is in the journal: nothing may come before it there. */
  get #isStepOpen(): boolean {
    const { running } = this;
    return running !== null && running.attempt > this.journal.last;
  }

  /** The person's time zone: as the newest message told it, else as the user has set it, else UTC. */
  get zone(): string {
    return this.place?.zone ?? UTC;
  }

  /** Every seq below this one was given out. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** The entries that are held of the model's context, all of turns: loaded at first use. */
  get window(): readonly JournalEntry[] {
    return this.context.entries;
  }

  /** What was said before the context, in short; empty where nothing is known of it. */
  get summary(): string {
    return leadText(this.context.document);
  }

  /** Reads the context anew at its next use, after another one was committed. */
  reloadContext(): void {
    this.context.forget();
  }

  /** The entries of the newest turns that share this id's turn, oldest first. */
  entriesOf(turn: string): JournalEntry[] {
    const open = this.begun;
    // Before the context is loaded, only the turn is: giving up a session that is too large must not need the rest.
    const isOwn = (entry: JournalEntry | undefined) => entry?.turn === turn;
    if (!this.context.isLoaded && open?.id === turn)
      return this.journal.window(open.start).filter(isOwn);
    const { window } = this;
    let start = window.length;
    while (start > 0 && isOwn(window[start - 1])) start--;
    return window.slice(start);
  }

  /**
   * Writes all of `work` in one transaction, then makes it visible; when `work` throws nothing has happened. The caller
   * updates the rest of its memory before it awaits. A deleted session takes only `erase`: all else throws `LostTurn`.
   */
  commit<Result>(name: CommitName, work: (tx: Tx) => Result): Result {
    if (this.#isDeleted && name !== "erase") throw new LostTurn();
    this.platform.point(`commit:${name}:before`);
    const entries: JournalEntry[] = [];
    const seqBefore = this.#nextSeq;
    const at = this.clock.now();
    const append: Tx["append"] = (turn, fact, seq = this.#nextSeq++, happened = at) => {
      const entry = this.journal.insert(seq, turn, happened, fact);
      entries.push(entry);
      return entry;
    };
    const say = () => entries.length > 0 && this.#unsaid.say((fact) => void append(NO_TURN, fact));
    // Giving an attempt up takes back all that follows its place.
    const reserve: Tx["reserve"] = () => {
      say();
      return this.#nextSeq++;
    };
    let isToTell = false;
    const tell = () => void (isToTell = true);
    let result: Result;
    try {
      result = this.sql.transaction(() => {
        const done = work({ append, reserve, tell });
        say();
        return done;
      });
    } catch (error) {
      this.#nextSeq = seqBefore;
      this.#permissions.forget();
      this.#unsaid.forget();
      throw error;
    }
    if (entries.length > 0) this.#waits = null;
    this.journal.publish(entries);
    this.context.push(entries.filter(({ turn }) => turn !== NO_TURN));
    this.bell.ring();
    // Once the caller's memory agrees with what is stored.
    if (isToTell) queueMicrotask(this.beside.wakeOutbox);
    this.platform.point(`commit:${name}:after`);
    return result;
  }

  /** Puts a changed version of an unfinished turn in its place. */
  replaceOpen(turn: OpenTurn): void {
    this.open = this.open.map((candidate) => (candidate.id === turn.id ? turn : candidate));
  }

  /**
   * What the turn that runs or waits asks, in the order of its calls. Before the context is loaded no more than the newest
   * step is: giving up a session that is too large must not need the rest.
   */
  get pending(): readonly EntryOf<"asked">[] {
    return this.#parked.pending;
  }

  /** What its subagents ask, as far as was heard. */
  get asking(): readonly PendingCall[] {
    return (this.#asking ??= askingChildren(this.sql).flatMap(({ pending }) => pending));
  }

  /** Reads that anew at its next use, after another report was committed. */
  forgetAsking(): void {
    this.#asking = null;
    this.bell.ring();
  }

  /** What it waits for beside: tasks. */
  get held(): readonly EntryOf<"held">[] {
    return this.#parked.held;
  }

  get #parked(): Parked {
    const { begun } = this;
    if (!begun) return noneParked;
    // Nothing has happened in it but its message, so that a new turn costs no look-up.
    const isNew = this.journal.last === begun.start;
    if (isNew && !this.context.isLoaded) return noneParked;
    if (this.#waits) return this.#waits;
    const { isLoaded } = this.context;
    const entries = isLoaded ? this.entriesOf(begun.id) : this.journal.newestStep(begun.start);
    return (this.#waits = parkedCalls(entries));
  }
}
