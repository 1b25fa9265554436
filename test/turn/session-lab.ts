import { barePrompt } from "../support/bare-prompt.ts";
import { noSettings } from "../support/no-settings.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import type { JournalEntry } from "../../src/session/entries.ts";
import { Journal } from "../../src/session/journal.ts";
import { sessionTables } from "../../src/session/schema.ts";
import type { PointName } from "../../src/shared/point.ts";
import type { SessionNews } from "../../src/shared/registry-api.ts";
import type { TailRequest, TurnInput } from "../../src/shared/session-api.ts";
import type { SessionAddress } from "../../src/shared/session-address.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { Capability } from "../../src/turn/capability.ts";
import type { Harness } from "../../src/turn/harness.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import { Session } from "../../src/turn/session.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import { type Frame, parseFrames } from "../support/client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openHarness } from "../support/open-harness.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import {
  createScriptedModel,
  createWitness,
  script,
  type ScriptedStep,
} from "../support/scripted-model.ts";
import { createEffects, createScriptedTools } from "../support/scripted-tools.ts";
import { noLink } from "../support/no-link.ts";

export type LabOptions = Partial<Harness> & { readonly tools?: readonly Tool[] };

/** What a reader has heard so far, and whether it is still listening. */
export type Listener = { readonly frames: () => Frame[]; state: "reading" | "ended" | "broken" };

/** One session over tables that outlive it, a clock that is moved by hand, a scripted model and its tools. */
export class SessionLab {
  readonly sql = nodeSql(openDatabase());
  readonly clock = new ManualClock();
  readonly witness = createWitness();
  readonly effects = createEffects();
  readonly log: string[] = [];
  alarm: number | null = null;
  session: Session;
  /** Throwing in it ends what the object is doing there. */
  onPoint: (name: PointName) => void = () => {};
  /** When what was written is durable. */
  sync: () => Promise<void> = () => Promise.resolve();
  /** The registry that is told of the session. */
  register: () => Promise<void> = () => Promise.resolve();
  /** What the registry is told of it beside. */
  index: (news: SessionNews) => Promise<void> = () => Promise.resolve();
  /** What the registry answers with. */
  settings = noSettings;
  /** Awaited by model and tools between their batches. */
  pause: () => Promise<void> = () => Promise.resolve();
  readonly #options: LabOptions;
  readonly #address: SessionAddress;
  #ids = 0;

  constructor(
    options: LabOptions = {},
    address: SessionAddress = { agent: "main", user: "ann", session: "s1" },
  ) {
    this.#address = address;
    this.#options = options;
    this.session = this.restart();
  }

  /**
   * Another object over the same tables, perhaps of an agent that was changed meanwhile. The one before is not told: it
   * goes on if something wakes it.
   */
  restart(change: LabOptions = {}): Session {
    this.session = new Session(
      {
        address: this.#address,
        sql: this.sql,
        clock: this.clock,
        setAlarm: (at) => (this.alarm = at),
        clearAlarm: () => (this.alarm = null),
        sync: () => this.sync(),
        keepAlive: () => {},
        register: () => this.register().then(() => this.settings),
        index: (news) => this.index(news).then(() => this.settings),
        link: noLink,
        newId: () => `id-${++this.#ids}`,
        point: (name) => this.onPoint(name),
        log: (level, event, facts) => this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
      },
      this.#harness({ ...this.#options, ...change }),
    );
    return this.session;
  }

  #harness(options: LabOptions): Harness {
    const pause = () => this.pause();
    const tools = options.tools ?? createScriptedTools(this.effects, pause);
    const capabilities: Capability[] = [
      ...(options.capabilities ?? []),
      { name: "lab", tools: () => tools },
    ];
    return {
      model: createScriptedModel(this.witness, pause),
      limits: defaultLimits,
      context: defaultContext,
      retry: { random: () => 0 },
      hasAfterTurn: capabilities.some(
        (item) => item.afterTurns !== undefined || item.later !== undefined,
      ),
      prompt: barePrompt,
      ...openHarness,
      workspace: () => noWorkspace,
      attachesFiles: true,
      ...options,
      capabilities,
    };
  }

  /** Sends a message, or a script for the model; the registry is told, as the object does it. */
  say(key: string, what: string | readonly ScriptedStep[] | TurnInput) {
    const text = typeof what === "string" ? what : "kind" in what ? "" : script(...what);
    const input: TurnInput =
      typeof what === "object" && "kind" in what
        ? what
        : { kind: "message", content: [{ type: "text", text }] };
    const accepted = this.session.accept({ key, digest: JSON.stringify(input), input });
    this.session.whenRegistered().catch(() => {});
    return accepted;
  }

  listen(request: TailRequest = { after: "0.0" }): Listener {
    let text = "";
    const listener: Listener = { frames: () => parseFrames(text), state: "reading" };
    const write = async (chunk: string) => void (text += chunk);
    this.session
      .tail(request)(write)
      .then(
        () => (listener.state = "ended"),
        () => (listener.state = "broken"),
      );
    return listener;
  }

  /** Lets everything that needs no time happen. */
  settle = (): Promise<void> => this.clock.pass(0);

  /** Moves to the alarm and fires it; whether there was one. */
  async fireAlarm(): Promise<boolean> {
    if (this.alarm === null) return false;
    await this.clock.pass(Math.max(0, this.alarm - this.clock.now()));
    this.alarm = null;
    await this.session.alarm();
    await this.settle();
    return true;
  }

  entries(turn?: string): JournalEntry[] {
    const journal = new Journal(sessionTables(this.sql));
    const entries = [...journal.backwards(journal.last + 1)].toReversed();
    return turn === undefined ? entries : entries.filter((entry) => entry.turn === turn);
  }

  /** The facts of a turn in one line: `user step:tool-calls intent result:success step:stop end:completed`. */
  story(turn?: string): string {
    return this.entries(turn).map(brief).join(" ");
  }
}

function brief(entry: JournalEntry): string {
  if (entry.kind === "step") return `step:${entry.finish}`;
  if (entry.kind === "result") return `result:${entry.status}`;
  if (entry.kind === "end") return `end:${entry.error?.code ?? entry.outcome}`;
  return entry.kind === "reset" ? `reset:${entry.attempt ?? "-"}` : entry.kind;
}
