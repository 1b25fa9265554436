import { defaultPermissions, initialPermissions } from "../../src/permissions/config.ts";
import type { Fact } from "../../src/session/entries.ts";
import { addJob } from "../../src/session/jobs.ts";
import { parkTurn, resumeTurn } from "../../src/session/turns.ts";
import type { SessionNews } from "../../src/shared/registry-api.ts";
import { SessionCore } from "../../src/turn/core.ts";
import type { Harness, Notice } from "../../src/turn/harness.ts";
import { acceptTurn } from "../../src/turn/line/inbox.ts";
import { Outbox } from "../../src/turn/after/outbox.ts";
import { Registration } from "../../src/turn/after/registration.ts";
import { settleTurn } from "../../src/turn/settle.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import { noSettings } from "../support/no-settings.ts";
import { openHarness } from "../support/open-harness.ts";
import { noLink } from "../support/no-link.ts";

type Parts = Pick<Harness, "notify" | "capabilities" | "workspace">;

/** A session's memory with its outbox over tables that outlive it; whoever is told may fail. */
export class OutboxLab {
  readonly sql = nodeSql(openDatabase());
  readonly clock = new ManualClock();
  readonly told: SessionNews[] = [];
  readonly notices: Notice[] = [];
  readonly log: string[] = [];
  alarm: number | null = null;
  /** Awaited before anyone has heard anything. */
  wire: () => Promise<void> = () => Promise.resolve();
  /** Awaited when it was heard. */
  answer: () => Promise<void> = () => Promise.resolve();
  core: SessionCore;
  outbox: Outbox;
  readonly #parts: Parts;

  constructor(parts: Partial<Parts> = {}) {
    this.#parts = {
      notify: (notice) => this.#tell(() => this.notices.push(notice)),
      capabilities: [],
      workspace: () => noWorkspace,
      ...parts,
    };
    this.core = this.#load();
    this.outbox = this.#open();
  }

  /** Another object takes over; the one before is gone. */
  restart(): void {
    this.core = this.#load();
    this.outbox = this.#open();
  }

  /** A turn that was accepted and runs. */
  say(key: string, text: string): void {
    const input = { kind: "message", content: [{ type: "text", text }] } as const;
    const options = { isRegistered: true, hasAfterTurn: false };
    acceptTurn(this.core, { key, digest: key, input }, options);
  }

  /** The turn waits for these calls, as the driver parks it; the outbox is not told. */
  wait(turn: string, ...calls: string[]): void {
    const { core } = this;
    const parts = calls.map((call) => ({ type: "tool-call", call, name: "send", input: "{}" }));
    const usage = { input: 1, output: 1, cached: 0 };
    const step = { kind: "step", step: 1, model: "m", parts, finish: "tool-calls", usage } as Fact;
    const job = { id: `notify:${turn}:${calls.join()}`, kind: "notify" } as const;
    const due = core.clock.now() + 30_000;
    const since = core.commit("wait", (tx) => {
      tx.append(turn, step);
      for (const call of calls) tx.append(turn, asked(call));
      const { seq } = tx.append(turn, { kind: "waiting", calls, expiresAt: 9_000_000 });
      parkTurn(core.sql, turn, core.epoch, seq);
      addJob(core.sql, { ...job, due, payload: JSON.stringify({ turn, calls }) });
      addJob(core.sql, { id: "index", kind: "index", due, payload: "" });
      return seq;
    });
    const { running } = core;
    if (running) core.replaceOpen({ ...running, state: "waiting", since });
  }

  /** One of the calls is denied; the turn still waits. */
  deny(turn: string, call: string): void {
    const { core } = this;
    core.commit("answer", (tx) => {
      const head = { call, name: "send" } as const;
      tx.append(turn, { kind: "answered", ...head, answer: "denied", digest: "d", by: "ann" });
      tx.append(turn, { kind: "result", ...head, status: "denied", content: [] });
    });
  }

  /** The turn that waits goes on, for an answer to another call. */
  goOn(): void {
    const { core } = this;
    const { begun } = core;
    if (begun?.state !== "waiting") throw new Error("no turn waits");
    core.commit("answer", () => resumeTurn(core.sql, begun.id, core.epoch));
    core.replaceOpen({ ...begun, state: "running", epoch: core.epoch });
  }

  end(turn: string): void {
    const open = this.core.open.find(({ id }) => id === turn);
    if (!open) throw new Error("that turn is not open");
    settleTurn(this.core, open, { outcome: "stopped" }, { hasAfterTurn: false, commit: "stop" });
  }

  /** Lets everything that needs no time happen. */
  settle = (): Promise<void> => this.clock.pass(0);

  /** Moves to the alarm and does what the session does then; whether there was one. */
  async fireAlarm(): Promise<boolean> {
    if (this.alarm === null) return false;
    await this.clock.pass(Math.max(0, this.alarm - this.clock.now()));
    this.alarm = null;
    await this.outbox.run();
    await this.settle();
    return true;
  }

  /** Ids of the jobs that are no turns. */
  jobs(): string[] {
    const rows = this.sql.all<{ id: string }>("SELECT id FROM job WHERE kind <> 'drive'");
    return rows.map(({ id }) => id);
  }

  async #tell(hear: () => void): Promise<void> {
    await this.wire();
    hear();
    await this.answer();
  }

  #load(): SessionCore {
    let ids = 0;
    const platform = {
      address: { agent: "main", user: "ann", session: "s1" },
      sql: this.sql,
      clock: this.clock,
      // As the session's: an alarm that stands earlier is left standing.
      setAlarm: (at: number) => (this.alarm = Math.min(at, this.alarm ?? at)),
      clearAlarm: () => (this.alarm = null),
      sync: () => Promise.resolve(),
      keepAlive: () => {},
      register: () => Promise.resolve(noSettings),
      index: async (news: SessionNews) => {
        await this.#tell(() => this.told.push(news));
        return noSettings;
      },
      link: noLink,
      newId: () => `id-${++ids}`,
      point: () => {},
      log: (level: string, event: string, facts: object) =>
        this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
    };
    const defaults = initialPermissions(defaultPermissions);
    return new SessionCore(platform, { defaults, modes: defaultPermissions.modes });
  }

  #open(): Outbox {
    const harness = { ...openHarness, ...this.#parts } as Harness;
    return new Outbox(this.core, harness, new Registration(this.core));
  }
}

const asked = (call: string): Fact => ({
  kind: "asked",
  call,
  name: "send",
  what: "approval",
  input: '{"secret": "do not tell"}',
  digest: "d",
  reason: "It sends something.",
  suggested: [],
  expiresAt: 9_000_000,
});
