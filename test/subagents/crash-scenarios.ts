import { CarrelError } from "../../src/shared/errors.ts";
import type { PendingCall } from "../../src/shared/events.ts";
import type { AcceptRequest, CallAnswer } from "../../src/shared/session-api.ts";
import type { Session } from "../../src/turn/session.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { call } from "../turn/asking-lab.ts";
import { done, spawn, tool, type FamilyLab, type FamilyOptions } from "./family-lab.ts";
import { Ended } from "./mortal.ts";

/** What a client does, with the patience of one: what is not answered is done again. */
export class Client {
  readonly lab: FamilyLab;

  constructor(lab: FamilyLab) {
    this.lab = lab;
  }

  async does<Result>(what: (parent: Session) => Result | Promise<Result>): Promise<Result> {
    for (let count = 0; ; count++) {
      try {
        return await this.lab.ask(what);
      } catch (error) {
        const isLost = error instanceof CarrelError && error.code === "overloaded";
        if (count > 5 || !(isLost || error instanceof Ended)) throw error;
        await this.lab.pass(1_000);
      }
    }
  }

  async says(key: string, steps: readonly ScriptedStep[], more: Partial<AcceptRequest> = {}) {
    const text = script(...steps);
    const input = { kind: "message", content: [{ type: "text", text }] } as const;
    await this.does((parent) => parent.accept({ key, digest: text, input, ...more }));
    await this.lab.settle();
  }

  /** Lets all come to rest, and answers what is asked until then. */
  async rests(decide: Decide = approve): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await this.lab.pass(round < 6 ? 40_000 : 4_000_000);
      const { pending } = await this.does((parent) => parent.history({ limit: 1 }).status);
      for (const asked of pending)
        await this.does((parent) => parent.answer([decide(asked)], "ann"));
      if (pending.length === 0 && this.lab.alarms.size === 0) return;
    }
    const { alarms, log } = this.lab;
    throw new Error(`it never rests: ${JSON.stringify([...alarms])}, ${log.slice(-3).join("; ")}`);
  }

  /** The id of the first task, once there is one. */
  async task(): Promise<string> {
    for (let count = 0; count < 5; count++) {
      const tasks = await this.does((parent) => parent.family.tasks());
      const first = tasks.at(-1);
      if (first) return first.id;
      await this.lab.pass(20_000);
    }
    throw new Error("there is no task");
  }
}

/** What a person says of a call that is asked. */
type Decide = (named: Pick<PendingCall, "call" | "digest">) => CallAnswer;
const approve: Decide = ({ call: id, digest }) => ({ call: id, digest, kind: "approve" });
const deny: Decide = ({ call: id, digest }) => ({ call: id, digest, kind: "deny", reason: "No." });

export type Scenario = {
  readonly name: string;
  readonly options?: FamilyOptions;
  /** How long model and tools take between two batches (ms). */
  readonly slow?: number;
  readonly play: (client: Client) => Promise<void>;
  /** Replies of subagents that their parent was told in the end, each once. */
  readonly told?: readonly string[];
  /** Labels of effects that there were, each once; and of effects that there were not. */
  readonly did?: readonly string[];
  readonly never?: readonly string[];
  readonly isDeleted?: boolean;
};

const says = (text: string) => ({ text, batches: 1 });
const does = (label: string) => call("keyed_thing", label);
/** A subagent's work: an effect, and a reply that is told from others. */
const works = (label: string): readonly ScriptedStep[] => [
  { calls: [does(label)] },
  says(`Reply-${label}.`),
];
const behind = (label: string, more: object = {}) =>
  spawn(works(label), { timeout_seconds: 0, ...more });
const hangs = spawn([{ hang: true }, { calls: [does("late")] }], { timeout_seconds: 0 });
const sends = (label: string, more: object) =>
  tool("agent_send", { message: script(...works(label)), ...more });

export const scenarios: readonly Scenario[] = [
  {
    name: "waited for",
    async play(client) {
      await client.says("t", [{ calls: [spawn(works("a"))] }, done]);
      await client.rests();
    },
    told: ["a"],
    did: ["a"],
  },
  {
    name: "two in the background",
    async play(client) {
      await client.says("t", [{ calls: [behind("a"), behind("b")] }, done]);
      await client.rests();
    },
    told: ["a", "b"],
    did: ["a", "b"],
  },
  {
    name: "promoted",
    slow: 400,
    async play(client) {
      await client.says("t", [{ calls: [spawn(works("a"), { timeout_seconds: 1 })] }, done]);
      await client.rests();
    },
    told: ["a"],
    did: ["a"],
  },
  {
    name: "waited for no longer, where all are waited for",
    options: { options: { forceSync: true } },
    async play(client) {
      const slow = spawn([{ hang: true }, { calls: [does("late")] }], { timeout_seconds: 1 });
      await client.says("t", [{ calls: [slow] }, done]);
      await client.rests();
    },
    never: ["late"],
  },
  {
    name: "sent to, and a persistent one",
    async play(client) {
      const keeper = (label: string) => spawn(works(label), { agent_id: "keeper" });
      await client.says("t", [
        { calls: [spawn(works("a"), { label: "x" }), keeper("k")] },
        { calls: [sends("b", { label: "x" }), keeper("l")] },
        done,
      ]);
      await client.rests();
      await client.says("u", [{ calls: [sends("c", { label: "x", timeout_seconds: 0 })] }, done]);
      await client.rests();
    },
    told: ["a", "b", "c", "k", "l"],
    did: ["a", "b", "c", "k", "l"],
  },
  {
    name: "told at the next step",
    slow: 100,
    async play(client) {
      await client.says("t", [{ calls: [behind("a")] }, { calls: [does("p")] }, done]);
      await client.rests();
    },
    told: ["a"],
    did: ["a", "p"],
  },
  {
    name: "waited for later",
    slow: 50,
    async play(client) {
      const wait = tool("wait_async_results", { wait_all: true });
      await client.says("t", [{ calls: [behind("a"), behind("b")] }, { calls: [wait] }, done]);
      await client.rests();
    },
    told: ["a", "b"],
    did: ["a", "b"],
  },
  {
    name: "looked at",
    slow: 50,
    async play(client) {
      await client.says("t", [{ calls: [behind("a")] }, done]);
      const task_id = await client.task();
      await client.says("u", [{ calls: [tool("task_output", { task_id })] }, done]);
      await client.rests();
    },
    did: ["a"],
  },
  {
    name: "cancelled by the agent",
    async play(client) {
      await client.says("t", [{ calls: [hangs] }, done]);
      const task_id = await client.task();
      await client.says("u", [{ calls: [tool("task_cancel", { task_id })] }, done]);
      await client.rests();
    },
    never: ["late"],
  },
  {
    name: "cancelled by its person",
    async play(client) {
      await client.says("t", [{ calls: [hangs] }, done]);
      const id = await client.task();
      await client.does((parent) => parent.family.cancel(id));
      await client.rests();
    },
    never: ["late"],
  },
  {
    name: "stopped with its turn",
    async play(client) {
      const slow = spawn([{ hang: true }, { calls: [does("late")] }]);
      await client.says("t", [{ calls: [slow] }, done]);
      await client.does((parent) => parent.stop("t"));
      await client.does((parent) => parent.family.whenTold());
      await client.rests();
    },
    never: ["late"],
  },
  {
    name: "asks while it is waited for",
    options: { permissions: { mode: "DEFAULT" } },
    async play(client) {
      await client.says("t", [{ calls: [spawn(works("a"))] }, done]);
      await client.rests();
    },
    told: ["a"],
    did: ["a"],
  },
  {
    name: "asks in the background, and is denied",
    options: { permissions: { mode: "DEFAULT" } },
    async play(client) {
      await client.says("t", [{ calls: [behind("a")] }, done]);
      await client.rests(deny);
    },
    told: ["a"],
    never: ["a"],
  },
  {
    name: "plans with its parent, until that may go on",
    options: { hasFiles: true },
    async play(client) {
      await client.does((parent) => void parent.setPlan(true, "ann"));
      await client.says("t", [
        { calls: [spawn(works("early"), { label: "x" })] },
        { calls: [tool("plan_write", { content: "Do it." })] },
        { calls: [tool("plan_exit")] },
        { calls: [sends("late", { label: "x" })] },
        done,
      ]);
      await client.rests();
    },
    told: ["early", "late"],
    did: ["late"],
    never: ["early"],
  },
  {
    name: "may do less meanwhile",
    slow: 300,
    async play(client) {
      await client.says("t", [{ calls: [spawn(works("a"))] }, done]);
      const deny = [{ tool: "keyed_thing" }];
      await client.does((parent) => void parent.setPermissions({ deny }, "ann"));
      await client.rests();
    },
    told: ["a"],
  },
  {
    name: "fails",
    async play(client) {
      await client.says("t", [{ calls: [spawn([{ fail: "model_refused" }])] }, done]);
      await client.rests();
    },
  },
  {
    name: "replaced and begun anew",
    slow: 100,
    async play(client) {
      await client.says("t", [{ calls: [behind("a"), spawn([{ hang: true }])] }, done]);
      await client.says("u", [says("Instead.")], { whenBusy: "replace" });
      await client.rests();
      await client.does((parent) => parent.clear("ann"));
      await client.says("v", [says("Again.")]);
      await client.rests();
    },
  },
  {
    name: "deleted with its parent",
    async play(client) {
      await client.says("t", [{ calls: [hangs, spawn(works("a"))] }, done]);
      await client.does(async (parent) => {
        try {
          await parent.remove();
        } catch (error) {
          if (!(error instanceof CarrelError && error.code === "gone")) throw error;
        }
      });
      await client.lab.pass(600_000);
    },
    never: ["late"],
    isDeleted: true,
  },
];
