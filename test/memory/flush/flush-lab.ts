import { createMemoryCapability } from "../../../src/memory/capability.ts";
import { createFlush, type FlushOptions } from "../../../src/memory/flush/flush.ts";
import type { Memory } from "../../../src/memory/memory-client.ts";
import type { Model } from "../../../src/model/model.ts";
import { ModelError, type ModelErrorCode } from "../../../src/shared/errors.ts";
import type { FinishReason } from "../../../src/shared/messages.ts";
import type { SessionAddress } from "../../../src/shared/session-address.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { nodeWorkspace } from "../../support/node-workspace.ts";
import { SessionLab, type LabOptions } from "../../turn/session-lab.ts";

export const ann: SessionAddress = { agent: "main", user: "ann", session: "s1" };

/** What the flush's model does when it is asked. */
export type FlushAnswer = {
  readonly text?: string;
  readonly finish?: FinishReason;
  readonly fail?: ModelErrorCode;
  readonly hang?: boolean;
};

/** What a request shows of the conversation. */
export const saidIn = (request: string): string => request.slice(request.search(/^\[/m));

/** A bullet for each thing that the user said, with its first line. */
export const remembersAll = (request: string): FlushAnswer => {
  const said = [...request.matchAll(/^\[USER\]: (.*)$/gm)].map((match) => match[1]);
  return { text: said.map((line) => `- ${line}`).join("\n") || "NO_REPLY" };
};

/** A model for flushes that notes what it is asked. */
export class FlushModel implements Model {
  readonly id = "flusher";
  readonly asked: string[] = [];
  readonly systems: string[] = [];
  aborted = 0;
  answer: (request: string, no: number) => FlushAnswer | Promise<FlushAnswer> = remembersAll;

  async *stream(
    ...[{ system, messages, tools }, signal]: Parameters<Model["stream"]>
  ): ReturnType<Model["stream"]> {
    const [message] = messages;
    const [part] = message?.role === "user" ? message.content : [];
    const request =
      part?.type === "text" && tools.length === 0 ? part.text : "not what is expected";
    this.asked.push(request);
    this.systems.push(system);
    const {
      text = "",
      finish = "stop",
      fail,
      hang,
    } = await this.answer(request, this.asked.length);
    if (hang) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      this.aborted += 1;
      throw signal.reason;
    }
    if (fail) throw new ModelError(fail, `The model says ${fail}.`);
    const half = Math.ceil(text.length / 2);
    for (const piece of [text.slice(0, half), text.slice(half)])
      yield [{ type: "text", text: piece }];
    yield [{ type: "finish", reason: finish, usage: { input: 100, output: 10, cached: 0 } }];
  }
}

/** The slots of a bucket, which outlive every session. */
export class Slots {
  readonly claims: string[] = [];
  readonly released: string[] = [];
  readonly #taken = new Map<string, number>();
  now: () => number = () => 0;

  readonly memoryOf = () => ({
    claimSlot: (name: string, gapMs: number) => {
      const last = this.#taken.get(name);
      const granted = last === undefined || this.now() - last >= gapMs;
      this.claims.push(`${name} ${granted}`);
      if (granted) this.#taken.set(name, this.now());
      return Promise.resolve({ granted, retryAt: granted ? this.now() : (last ?? 0) + gapMs });
    },
    releaseSlot: (name: string) => {
      this.released.push(name);
      this.#taken.delete(name);
      return Promise.resolve();
    },
  });
}

/** Notes a section as it is, in a bucket where nothing was forgotten. */
const noteIn =
  (files: Workspace): Memory["note"] =>
  async ({ by, path, text, op }) => {
    await files.change({ by, changes: [{ kind: "append", path, text, op }] });
    return { noted: 1, leftOut: 0 };
  };

export type FlushLabOptions = Partial<FlushOptions> & {
  readonly address?: SessionAddress;
  readonly workspace?: Workspace;
  readonly slots?: Slots;
  readonly lab?: LabOptions;
  /** With `disableMemoryHooks`. */
  readonly isOff?: boolean;
};

/** A session that flushes, over real buckets. */
export class FlushLab extends SessionLab {
  readonly model: FlushModel;
  readonly slots: Slots;
  readonly workspace: Workspace;

  constructor({ address, workspace, slots, lab, isOff, ...options }: FlushLabOptions = {}) {
    const model = new FlushModel();
    const files = workspace ?? nodeWorkspace();
    const bucket = slots ?? new Slots();
    const flush = createFlush({
      model,
      prompt: null,
      trigger: "ALWAYS",
      flushBeforeCompact: true,
      memoryOf: () => ({ ...bucket.memoryOf(), note: noteIn(files) }),
      clock: { now: () => this.clock.now(), sleep: (...args) => this.clock.sleep(...args) },
      log: (level, event, facts) => this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
      ...options,
    });
    const memory = createMemoryCapability({ tools: [], flush: isOff ? null : flush });
    const capabilities = [...(lab?.capabilities ?? []), memory];
    super({ ...lab, capabilities, workspace: () => files }, address ?? ann);
    this.model = model;
    this.slots = bucket;
    this.workspace = files;
    bucket.now = () => this.clock.now();
  }

  /** Says something and lets the turn end, and what comes after it. */
  async turn(key: string, what: Parameters<SessionLab["say"]>[1]): Promise<void> {
    this.say(key, what);
    await this.quiet();
  }

  /** Lets turns end, and what comes after them. Buckets do not only wait for promises. */
  async quiet(): Promise<void> {
    await this.clock.pass(1_000);
    await this.rest();
  }

  async rest(): Promise<void> {
    for (let round = 0; round < 3; round++) await this.settle();
  }

  /** Fires the alarm until none stands. */
  async finish(): Promise<void> {
    while (await this.fireAlarm()) await this.rest();
  }

  async ledger(day = "1970-01-01"): Promise<string> {
    return textAt(this.workspace, `memory/${day}.md`);
  }

  notes(): unknown {
    const query = "SELECT body FROM state WHERE name = 'notes:memory'";
    return JSON.parse(this.sql.all<{ body: string }>(query)[0]?.body ?? "null") as unknown;
  }
}

/** The text of a file; empty where none is there. */
export async function textAt(workspace: Workspace, path: string): Promise<string> {
  const { files } = await workspace.readMany({ paths: [path] });
  const content = files[0]?.content;
  return content && "text" in content ? content.text : "";
}

/** How often each of these stands alone in a line of the text, as a bullet. */
export const counts = (text: string, bullets: readonly string[]): number[] =>
  bullets.map((bullet) => text.split("\n").filter((line) => line === `- ${bullet}`).length);
