import { parseCursor, START, type Cursor, type IdentifiedEvent } from "../../shared/events.ts";
import { errorFacts } from "../../shared/log.ts";
import type { Report, ReportedEnd } from "../../shared/subagents.ts";
import { cutAt } from "../../shared/text.ts";
import { EventLog } from "../../session/event-log.ts";
import { toPendingCall } from "../../session/entries.ts";
import { findJob, removeJob, setDue } from "../../session/jobs.ts";
import { readState, writeState } from "../../session/state-documents.ts";
import { findTurn } from "../../session/turns.ts";
import type { SessionCore } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { REPORT_JOB } from "./report-job.ts";

/** Of events, so many characters are told at once. */
const REPORT_CHARS = 60_000;
/** Of one text of them; the subagent's own session has all of it. */
const TEXT_CHARS = 4_000;
/** Between two reports of a turn that goes on. */
const BETWEEN_MS = 250;
/** How often a session that waits for a person says so again. */
const AT_REST_MS = 3_600_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Tells the session of its parent what happens in a subagent's: facts as they are stored, what it asks, and how its turns
 * end. Each is told at least once, in order, also after a crash; the parent takes it once. Single-flight in this object.
 */
export class Reporter {
  readonly #core: SessionCore;
  readonly #log: EventLog;
  #isRunning = false;
  #at: Cursor;
  /** What it asked when it reported last, as it was sent. */
  #asked = "";

  constructor(core: SessionCore) {
    this.#core = core;
    // Only facts: what is being said may yet be taken back.
    this.#log = new EventLog(core.journal, () => null);
    this.#at = (core.role && parseCursor(readState(core.sql, "reported")?.last ?? "")) || START;
  }

  /** Goes on reporting where there is anything to. Never throws. */
  wake(): void {
    const { role, isDeleted, platform, sql, clock } = this.#core;
    const job = role && !isDeleted ? findJob(sql, REPORT_JOB) : null;
    if (!job) return;
    // While this goes on, the job is for later: an alarm that found it due would go off again and again.
    const due = clock.now() + DEAD_MAN_MS;
    if (job.due <= clock.now()) this.#core.commit("job", () => setDue(sql, REPORT_JOB, due));
    if (this.#isRunning) return;
    this.#isRunning = true;
    platform.keepAlive(this.#run());
  }

  async #run(): Promise<void> {
    const core = this.#core;
    try {
      for (let failures = 0; !core.isDeleted;) {
        const bell = core.bell.next();
        const report = this.#next();
        if (report) {
          const isTold = await this.#tell(report);
          failures = isTold ? 0 : failures + 1;
          if (!isTold) await this.#sleep(Math.min(2_000 * 2 ** failures, MAX_BACKOFF_MS));
          else if (!this.#isAtRest) await this.#sleep(BETWEEN_MS);
          continue;
        }
        if (this.#isAtRest) return this.#rest();
        await bell;
      }
    } catch (error) {
      core.platform.log("error", "report_failed", errorFacts(error));
      if (!core.isDeleted) core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Whether nothing happens until somebody comes: no turn is open, or it waits. */
  get #isAtRest(): boolean {
    const { begun, open } = this.#core;
    return open.length === 0 || begun?.state === "waiting";
  }

  /** What is new; `null` when nothing is. */
  #next(): Report | null {
    const core = this.#core;
    const { events, cursor } = this.#log.read(this.#at, REPORT_CHARS);
    const pending = core.pending.map(toPendingCall);
    const asked = JSON.stringify(pending);
    if (cursor.seq === this.#at.seq && cursor.offset === this.#at.offset && asked === this.#asked)
      return null;
    const ends = events.flatMap(({ event }): ReportedEnd[] =>
      event.type === "turn-end"
        ? [this.#endOf(event.turn, event.outcome, event.error?.message)]
        : [],
    );
    const { session } = core.platform.address;
    return { session, events: events.map(short), last: idOf(cursor), pending, ends };
  }

  /** Whether the parent has it, or wants nothing of it any more. */
  async #tell(report: Report): Promise<boolean> {
    const core = this.#core;
    const parent = core.role?.parent;
    if (!parent) return true;
    try {
      const answer = await core.platform.link(parent).report(parent, report);
      if (!answer.ok && answer.code !== "gone" && answer.code !== "not_found") return false;
      this.#at = parseCursor(report.last) ?? this.#at;
      this.#asked = JSON.stringify(report.pending);
      return true;
    } catch (error) {
      core.platform.log("warn", "report_failed", errorFacts(error));
      return false;
    }
  }

  /** All is told: nothing stands for it any more, or, while somebody is waited for, little. */
  #rest(): void {
    const core = this.#core;
    core.commit("report", () => {
      writeState(core.sql, "reported", { last: idOf(this.#at) });
      if (core.open.length === 0) removeJob(core.sql, REPORT_JOB);
      else setDue(core.sql, REPORT_JOB, core.clock.now() + AT_REST_MS);
    });
  }

  /** What a turn came to: what it said at last, or why it has not. */
  #endOf(turn: string, outcome: ReportedEnd["outcome"], why = "It was stopped."): ReportedEnd {
    if (outcome !== "completed") return { turn, outcome, text: why };
    const { start = null } = findTurn(this.#core.sql, turn) ?? {};
    let text = "";
    for (let from = start; from !== null;) {
      const page = this.#core.journal.read(from);
      for (const entry of page)
        if (entry.turn === turn && entry.kind === "step")
          text = entry.parts.flatMap((part) => (part.type === "text" ? part.text : "")).join("");
      const isOver = page.some((entry) => entry.turn === turn && entry.kind === "end");
      const last = page.at(-1);
      from = last && !isOver ? last.seq + 1 : null;
    }
    return { turn, outcome, text };
  }

  #sleep(ms: number): Promise<void> {
    return this.#core.clock.sleep(ms);
  }
}

const idOf = ({ seq, offset }: Cursor): string => `${seq}.${offset}`;

/** Without what makes it long. */
function short({ id, event }: IdentifiedEvent): IdentifiedEvent {
  if (event.type === "text" || event.type === "reasoning" || event.type === "tool-call")
    return { id, event: { ...event, text: cutText(event.text) } };
  if (event.type === "turn-start" || event.type === "steered" || event.type === "tool-result")
    return {
      id,
      event: {
        ...event,
        content: event.content.map((part) =>
          part.type === "text"
            ? { ...part, text: cutText(part.text) }
            : { type: "text", text: `[an image of ${part.mediaType}]` },
        ),
      },
    };
  return { id, event };
}

const cutText = (text: string): string =>
  text.length <= TEXT_CHARS ? text : `${cutAt(text, TEXT_CHARS)}…`;
