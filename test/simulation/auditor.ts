import { NO_TURN, type JournalEntry } from "../../src/session/entries.ts";
import type { ContextDocument } from "../../src/session/state-documents.ts";
import { toModelMessages } from "../../src/session/transcript.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { View } from "../../src/turn/context/view.ts";
import { messageViolations } from "../support/message-invariants.ts";
import { KeptAudit } from "./keeping.ts";
import type { Facts } from "./reader.ts";

/** What the journal says of one turn so far. */
type Turn = {
  readonly start: number;
  readonly open: Set<string>;
  readonly begun: Set<string>;
  steps: number;
  outcome: string | null;
};

type TurnRow = {
  readonly id: string;
  readonly state: string;
  readonly start: number | null;
  readonly job: string | null;
  readonly due: number | null;
  readonly checkpoint: number | null;
};
const TURNS = `SELECT turn.id, turn.state, turn.start, job.kind AS job, job.due, live.seq AS checkpoint
  FROM turn LEFT JOIN job ON job.payload = turn.id LEFT JOIN live ON live.turn = turn.id
  ORDER BY turn.no`;
type JournalRow = { seq: number; turn: string; kind: string; at: number; body: string };

/**
 * Looks at the tables whenever something became durable and says which promise they break. Follows the journal
 * as it grows, so that a look costs only what is new.
 */
export class Auditor implements Facts {
  readonly #sql: Sql;
  #hasTables = false;
  #last = 0;
  readonly #seqs = new Set<number>();
  #entries: JournalEntry[] = [];
  readonly #turns = new Map<string, Turn>();
  readonly #results = new Set<string>();
  /** Calls whose newest question has no answer. */
  readonly #asked = new Set<string>();
  #isDeleted = false;
  /** Turns that were given up unseen, by the seq after their end. */
  readonly #abandoned = new Map<number, string>();
  /** Where the conversation began anew. */
  readonly #cleared = new Set<number>();
  readonly #viewer = new View();
  readonly #kept = new KeptAudit();
  #found: string[] = [];

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  has(seq: number): boolean {
    return this.#seqs.has(seq);
  }

  /** Whether this turn was given up without looking at it; nothing is done after it. */
  wasAbandoned(turn: string): boolean {
    return [...this.#abandoned.values()].includes(turn);
  }

  /** Whether this call's result is stored. */
  hasResult(call: string): boolean {
    return this.#results.has(call);
  }

  /** Whether this call was asked about and may not run as things are. */
  isForbidden(call: string): boolean {
    let isForbidden = false;
    const rows = `SELECT kind, body FROM journal
      WHERE kind IN ('asked', 'answered', 'permissions') ORDER BY seq`;
    for (const { kind, body } of this.#sql.all<{ kind: string; body: string }>(rows)) {
      const said = JSON.parse(body) as { readonly call?: string; readonly answer?: string };
      if (kind === "permissions") isForbidden = false;
      else if (said.call === call) isForbidden = said.answer !== "approved";
    }
    return isForbidden;
  }

  /** Whether the session was deleted. */
  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  audit(hasAlarm: boolean): string[] {
    this.#found = [];
    this.#hasTables ||= this.#sql.all("SELECT 1 FROM sqlite_schema WHERE name = 'job'").length > 0;
    if (!this.#hasTables) return [];
    this.#isDeleted ||= this.#sql.all("SELECT 1 FROM state WHERE name = 'deleted'").length > 0;
    if (this.#isDeleted) return this.#auditDeletion(hasAlarm);
    const [{ count } = { count: 0 }] = this.#sql.all<{ count: number }>(
      "SELECT count(*) AS count FROM journal",
    );
    if (count !== this.#seqs.size) {
      const rows = "SELECT * FROM journal WHERE seq > ? ORDER BY seq";
      for (const row of this.#sql.all<JournalRow>(rows, this.#last)) this.#follow(row);
      this.#auditContext();
    }
    if (count !== this.#seqs.size)
      this.#violate("S1", `${count} rows are stored, ${this.#seqs.size} were appended at the end`);
    this.#auditTurns(hasAlarm);
    return this.#found;
  }

  /** What its row may say: one that waits has only calls left that were asked about. */
  #statesOf(turn: Turn): string[] {
    if (turn.outcome !== null) return [turn.outcome];
    const isAsked = turn.open.size > 0 && [...turn.open].every((call) => this.#asked.has(call));
    return isAsked ? ["running", "waiting"] : ["running"];
  }

  #violate(promise: string, what: string): void {
    this.#found.push(`[${promise}] ${what}`);
  }

  #follow({ body, ...row }: JournalRow): void {
    if (body.length > 1_900_000) this.#violate("S2", `row ${row.seq} is too large`);
    const entry = { ...row, ...(JSON.parse(body) as object) } as unknown as JournalEntry;
    this.#last = entry.seq;
    this.#seqs.add(entry.seq);
    this.#entries.push(entry);
    this.#kept.follow(entry);
    if (entry.turn === NO_TURN) return this.#followNoTurn(entry);
    if (entry.kind === "user") return this.#begin(entry.turn, entry.seq);
    const turn = this.#turns.get(entry.turn);
    if (!turn) return this.#violate("T1", `${entry.turn} has a ${entry.kind} before its message`);
    if (turn.outcome !== null)
      this.#violate("T2", `${entry.turn} has a ${entry.kind} at ${entry.seq} after its end`);
    this.#followInside(turn, entry);
  }

  #begin(id: string, seq: number): void {
    if (this.#turns.has(id)) this.#violate("T1", `${id} begins twice`);
    for (const [other, { outcome }] of this.#turns)
      if (outcome === null) this.#violate("T4", `${id} begins while ${other} goes on`);
    this.#turns.set(id, { start: seq, open: new Set(), begun: new Set(), steps: 0, outcome: null });
  }

  #followInside(turn: Turn, entry: JournalEntry): void {
    const where = `${entry.turn}: the ${entry.kind} at ${entry.seq}`;
    if (entry.kind === "step") {
      if (turn.open.size > 0) this.#violate("T6", `${where} follows calls without results`);
      if (entry.step !== ++turn.steps) this.#violate("T2", `${where} is step ${entry.step}`);
      for (const part of entry.parts) if (part.type === "tool-call") turn.open.add(part.call);
    } else if (entry.kind === "intent") {
      if (!turn.open.has(entry.call)) this.#violate("T5", `${where} is for no open call`);
      if (turn.begun.has(entry.call)) this.#violate("T5", `${where} is the second`);
      turn.begun.add(entry.call);
    } else if (entry.kind === "asked") {
      if (!turn.open.has(entry.call)) this.#violate("A4", `${where} is for no open call`);
      this.#asked.add(entry.call);
    } else if (entry.kind === "answered") {
      if (!this.#asked.delete(entry.call)) this.#violate("A5", `${where} is for no question`);
    } else if (entry.kind === "waiting") {
      if (turn.open.size !== entry.calls.length)
        this.#violate("A6", `${where} leaves calls undone`);
    } else if (entry.kind === "result") {
      if (!turn.open.delete(entry.call)) this.#violate("T5", `${where} is for no open call`);
      this.#results.add(entry.call);
    } else if (entry.kind === "reset") {
      const { attempt } = entry;
      if (attempt !== null && (this.#seqs.has(attempt) || attempt >= entry.seq))
        this.#violate("S2", `${where} takes back ${attempt}`);
    } else if (entry.kind === "end") {
      // A turn that is too large to be loaded is ended unseen, and the context begins after it.
      const isUnseen = entry.error?.code === "out_of_memory";
      if (isUnseen) this.#abandoned.set(entry.seq + 1, entry.turn);
      if (turn.open.size > 0) this.#violate("T6", `${where} leaves calls without results`);
      turn.outcome = entry.outcome;
    }
  }

  #followNoTurn(entry: JournalEntry): void {
    if (entry.kind !== "cleared") return;
    for (const [other, { outcome }] of this.#turns)
      if (outcome === null) this.#violate("T4", `cleared at ${entry.seq} while ${other} goes on`);
    this.#cleared.add(entry.seq + 1);
  }

  /** Nothing is left but the tombstone, or an alarm stands until it is so. */
  #auditDeletion(hasAlarm: boolean): string[] {
    const rows = this.#sql.all<{ left: number }>(
      `SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM turn) + (SELECT count(*) FROM live) +
        (SELECT count(*) FROM job) + (SELECT count(*) FROM state WHERE name <> 'deleted') AS left`,
    );
    if ((rows[0]?.left ?? 0) > 0 && !hasAlarm)
      this.#violate("R4", "a deletion is not done and no alarm stands");
    return this.#found;
  }

  /** The history that the model would get next is valid at any time. */
  #auditContext(): void {
    const [row] = this.#sql.all<{ body: string }>("SELECT body FROM state WHERE name = 'context'");
    const document = row ? (JSON.parse(row.body) as ContextDocument) : { from: 0 };
    const { from, turn = from } = document;
    const isStart = [...this.#turns.values()].some(({ start }) => start === turn);
    if (from > 0 && !this.#abandoned.has(from) && !this.#cleared.has(from) && !isStart)
      this.#violate("T6", `the context starts at ${turn}, which begins no turn`);
    if (turn !== from && !this.#entries.some((one) => one.kind === "step" && one.seq === from))
      this.#violate("T6", `the context starts at ${from} inside a turn, where no step begins`);
    // An answer that is given anew brings back the context of before it.
    const { uncut = document } = document;
    const oldest = Math.min(turn, uncut.turn ?? uncut.from);
    this.#entries = this.#entries.filter(({ seq }) => seq >= oldest);
    const shown = this.#entries.filter(({ seq }) => seq >= turn);
    const view = this.#viewer.of(shown, document);
    for (const what of messageViolations(toModelMessages(view))) this.#violate("T6", what);
    for (const what of this.#kept.violations(this.#sql)) this.#violate("K3", what);
  }

  /** Each turn's row, job and checkpoint say the same as the journal. */
  #auditTurns(hasAlarm: boolean): void {
    let lastStart = 0;
    const unlisted = "SELECT 1 FROM job WHERE kind = 'register' AND due < ?";
    let isWaiting = this.#sql.all(unlisted, Number.MAX_SAFE_INTEGER).length > 0;
    for (const row of this.#sql.all<TurnRow>(TURNS)) {
      const { id, state, start, due } = row;
      isWaiting ||= due !== null && due < Number.MAX_SAFE_INTEGER;
      const turn = this.#turns.get(id);
      // One that is stopped while it waits in line gets its entries when it would have been its turn.
      const should = turn ? this.#statesOf(turn) : ["queued", "stopped", "steered"];
      if (!should.includes(state))
        this.#violate("T2", `${id} is ${state}, should be ${should.join(" or ")}`);
      const isOpen = state !== "steered" && (!turn || turn.outcome === null);
      if (isOpen !== (row.job === "drive"))
        this.#violate("T2", `${id} is ${isOpen ? "open" : "over"}, its job is ${row.job}`);
      if (row.checkpoint !== null && state !== "running")
        this.#violate("S2", `a checkpoint of ${id} is left`);
      if (state === "steered" || !turn) continue;
      if (start !== turn.start) this.#violate("S4", `${id} starts at ${start}`);
      if (turn.start < lastStart) this.#violate("T4", `${id} overtook another turn`);
      lastStart = turn.start;
    }
    if (isWaiting && !hasAlarm) this.#violate("T1", "work waits and no alarm stands");
  }
}
