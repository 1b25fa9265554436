import type { DatabaseSync } from "node:sqlite";
import { answered } from "../../durable-objects/answered.ts";
import { defaultPermissions, type PermissionConfig } from "../../src/permissions/config.ts";
import { createPlanMode, withoutPlanTools } from "../../src/plan/plan-mode.ts";
import type { AgentDefinition } from "../../src/define-agent.ts";
import type { Deployment } from "../../src/harness.ts";
import type { JournalEntry } from "../../src/session/entries.ts";
import { Journal } from "../../src/session/journal.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { sessionKey } from "../../src/shared/ids.ts";
import type { Point, PointName } from "../../src/shared/point.ts";
import type { CallAnswer, SessionLink } from "../../src/shared/session-api.ts";
import type { SessionAddress } from "../../src/shared/session-address.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Role } from "../../src/shared/subagents.ts";
import { createSubagents } from "../../src/subagents/capability.ts";
import { generalPurpose } from "../../src/subagents/catalogue.ts";
import { declared } from "../../src/subagents/parse-declaration.ts";
import { defaultSubagents, type SubagentOptions } from "../../src/subagents/tools/parts.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import type { Harness } from "../../src/turn/harness.ts";
import { SessionHost } from "../../src/turn/host.ts";
import type { Platform } from "../../src/turn/platform.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import type { Session } from "../../src/turn/session.ts";
import { barePrompt } from "../support/bare-prompt.ts";
import { makeDigestsInstant } from "../support/instant-digest.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { noSettings } from "../support/no-settings.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import {
  createScriptedModel,
  createWitness,
  script,
  type ScriptedStep,
} from "../support/scripted-model.ts";
import { createEffects, createScriptedTools } from "../support/scripted-tools.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { counted, Ended, Life, mortal } from "./mortal.ts";
import { wholeAgent } from "./whole-agent.ts";

export type FamilyOptions = {
  readonly permissions?: Partial<PermissionConfig>;
  readonly options?: Partial<SubagentOptions>;
  /** Whether there are files, as plans need them. */
  readonly hasFiles?: boolean;
  /** A whole agent over those files, in the place of the lab's own. */
  readonly agent?: Partial<AgentDefinition>;
};

/** The object of a session, for as long as it lives. */
type Living = { readonly host: SessionHost; readonly life: Life; readonly point: Point };

export const helper = declared({ id: "helper", description: "Helps.", body: "Help." });
export const keeper = declared({
  id: "keeper",
  description: "Keeps on.",
  body: "",
  persistSession: true,
});

/** A parent's session and those of its subagents, as objects that reach each other and may end at any point. */
export class FamilyLab {
  readonly clock = new ManualClock();
  readonly witness = createWitness();
  readonly effects = createEffects();
  readonly log: string[] = [];
  readonly address: SessionAddress = { agent: "main", user: "ann", session: "s1" };
  /** Whether the object of a session ends at this point of it. */
  endsAt: (name: PointName, session: string) => boolean = () => false;
  /** Comes before a call from one session to another, which it may delay or fail. */
  before: (method: string, session: string) => void | Promise<void> = () => {};
  pause: () => Promise<void> = () => Promise.resolve();
  readonly #options: FamilyOptions;
  readonly files: WorkspaceLab | null;
  readonly #deployment: Deployment | null;
  readonly #databases = new Map<string, DatabaseSync>();
  readonly #objects = new Map<string, Living>();
  readonly alarms = new Map<string, number>();
  /** Statements of all sessions so far. */
  statements = 0;
  #ids = 0;

  constructor(options: FamilyOptions = {}) {
    makeDigestsInstant();
    this.#options = options;
    const { agent, hasFiles = false } = options;
    this.files = hasFiles || agent ? new WorkspaceLab() : null;
    this.#deployment = agent ? wholeAgent(this, agent) : null;
  }

  get parent(): Session {
    return this.host("s1").session;
  }

  host(session: string): SessionHost {
    return this.#object(session).host;
  }

  #object(session: string): Living {
    const known = this.#objects.get(session);
    if (known && !known.life.isOver) return known;
    const life = new Life();
    const platform = mortal(this.#platform(session), life, (name) => this.endsAt(name, session));
    const { point } = platform;
    const object = { host: new SessionHost(platform, (role) => this.#harness(role)), life, point };
    this.#objects.set(session, object);
    return object;
  }

  #platform(session: string): Platform {
    return {
      address: { ...this.address, session },
      sql: this.sql(session),
      clock: this.clock,
      setAlarm: (at) => void this.alarms.set(session, at),
      clearAlarm: () => void this.alarms.delete(session),
      sync: () => Promise.resolve(),
      keepAlive: () => {},
      register: () => Promise.resolve(noSettings),
      index: () => Promise.resolve(noSettings),
      link: (to) => this.#link(to),
      newId: () => `id-${++this.#ids}`,
      point: () => {},
      log: (level, event, facts) => this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
    };
  }

  /** What a client hears of a call to the parent's session; rejects with `Ended` when its object ends meanwhile. */
  ask<Result>(call: (parent: Session) => Result | Promise<Result>): Promise<Result> {
    const { host, life } = this.#object("s1");
    return life.answers(Promise.resolve().then(() => call(host.session)));
  }

  sql(session: string): Sql {
    const database = this.#databases.get(session) ?? openDatabase();
    this.#databases.set(session, database);
    return counted(nodeSql(database), () => this.statements++);
  }

  /** The sessions of subagents, in the order in which they began. */
  get children(): string[] {
    return [...this.#databases.keys()].filter((session) => session !== "s1");
  }

  /** All objects, or one, end; the next call finds another one over the same tables. */
  restart(session?: string): void {
    if (session === undefined) this.#objects.clear();
    else this.#objects.delete(session);
  }

  /** As an object answers over RPC; what crosses is copied. */
  #link(to: SessionAddress): SessionLink {
    const call =
      (name: string) =>
      async (address: SessionAddress, ...args: unknown[]) => {
        await this.before(name, to.session);
        const { host, life, point } = this.#object(to.session);
        const isMeant = sessionKey(address) === sessionKey(to);
        const work = () => this.#call(host, name, structuredClone(args));
        return structuredClone(await life.answers(answered({ name, isMeant, point }, work)));
      };
    return new Proxy({} as SessionLink, { get: (_, method) => call(String(method)) });
  }

  async #call(host: SessionHost, method: string, args: unknown[]): Promise<object | void> {
    const [first, second] = args as never[];
    if (method === "begin")
      return host.adopt((args[0] as { role: Role }).role).family.begin(first as never);
    if (method === "govern") return host.session.family.govern(first as never);
    if (method === "report") return host.session.family.report(first as never);
    if (method === "stop") return { turn: host.session.stop(first) };
    if (method === "answer") return host.session.answer(first as never, second as never);
    if (method === "remove") return { isComplete: await host.session.remove() };
    throw new Error(`no method ${method}`);
  }

  #harness(role: Role | null): Harness {
    if (this.#deployment && this.files)
      return this.#deployment.harness("main", this.files.env, role);
    const pause = () => this.pause();
    const tools = createScriptedTools(this.effects, pause);
    const plan = createPlanMode({ allowsShell: false });
    const options = { ...defaultSubagents, ...this.#options.options };
    const builtIn = [generalPurpose, helper, keeper];
    const subagents = createSubagents({ builtIn, isDynamic: false, options });
    return {
      model: createScriptedModel(this.witness, pause),
      capabilities: [
        ...(role ? [withoutPlanTools(plan)] : [plan, subagents]),
        { name: "lab", tools: () => tools },
      ],
      limits: defaultLimits,
      context: defaultContext,
      retry: { random: () => 0 },
      hasAfterTurn: false,
      prompt: barePrompt,
      permissions: { ...defaultPermissions, mode: "BYPASS", ...this.#options.permissions },
      hasPlanMode: true,
      notify: null,
      forget: () => Promise.resolve(),
      workspace: ({ session }) => this.files?.workspace({ session }) ?? noWorkspace,
      attachesFiles: false,
    };
  }

  say(key: string, ...steps: readonly ScriptedStep[]): void {
    const text = script(...steps);
    const input = { kind: "message", content: [{ type: "text", text }] } as const;
    this.parent.accept({ key, digest: text, input });
  }

  async run(key: string, ...steps: readonly ScriptedStep[]): Promise<void> {
    this.say(key, ...steps);
    await this.settle();
  }

  /** Lets everything happen that needs less than a second. */
  async settle(): Promise<void> {
    for (let round = 0; round < 6; round++) await this.clock.pass(round === 0 ? 0 : 250);
  }

  /** Lets time pass, with the alarms that go off in it. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    for (let count = 0; ; count++) {
      if (count > 500)
        throw new Error(
          `alarms without end: ${JSON.stringify([[...this.alarms], this.sql("s1").all("SELECT * FROM job"), this.log])}`,
        );
      const [next] = [...this.alarms].toSorted((a, b) => a[1] - b[1]);
      if (!next || next[1] > end) break;
      const [session, at] = next;
      await this.clock.pass(Math.max(0, at - this.clock.now()));
      this.alarms.delete(session);
      await this.#ring(session);
      await this.clock.pass(0);
    }
    await this.clock.pass(Math.max(0, end - this.clock.now()));
  }

  /** An alarm that goes off; the platform has one whose object ends meanwhile go off again. */
  async #ring(session: string): Promise<void> {
    const { host, life } = this.#object(session);
    try {
      await life.answers(host.session.alarm());
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      this.alarms.set(
        session,
        Math.min(this.clock.now() + 2_000, this.alarms.get(session) ?? Infinity),
      );
    }
  }

  async answer(...answers: readonly CallAnswer[]): Promise<void> {
    await this.parent.answer(answers, "ann");
    await this.settle();
  }

  status() {
    return this.parent.history({ limit: 1 }).status;
  }

  entries(session = "s1"): JournalEntry[] {
    const journal = new Journal(sessionTables(this.sql(session)));
    return [...journal.backwards(journal.last + 1)].toReversed();
  }

  /** The texts of the results in a session. */
  results(session = "s1"): string[] {
    return this.entries(session).flatMap((entry) =>
      entry.kind === "result"
        ? entry.content.map((part) => ("text" in part ? part.text : "")).join("")
        : [],
    );
  }

  story(session = "s1"): string {
    return this.entries(session)
      .filter(({ turn }) => turn !== "")
      .map((entry) => {
        if (entry.kind === "result") return `result:${entry.status}`;
        return entry.kind === "end" ? `end:${entry.outcome}` : entry.kind;
      })
      .join(" ");
  }
}

export const tool = (name: string, input: object = {}) => ({ name, input: JSON.stringify(input) });
export const done = { text: "Done.", batches: 1 } as const;

/** A call that hands a script to a subagent. */
export const spawn = (steps: readonly ScriptedStep[], more: object = {}) =>
  tool("agent_spawn", { agent_id: "helper", task: script(...steps), ...more });
