import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { SessionEvent } from "../../src/shared/events.ts";
import type { Decision, FaithfulClient, OnEvent } from "../support/faithful-client.ts";
import { checkInvariants } from "../support/invariants.ts";
import type { Observation } from "../support/observation.ts";
import { resetOutside, type Outside } from "../support/outside.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { createEffects, createScriptedTools } from "../support/scripted-tools.ts";
import { breathe, clientOf, keyOf, sessionStub, tablesOf } from "./session-object.ts";

/** What a client does with one session, and what must have come of it. */
export type Scenario = {
  readonly name: string;
  readonly agent?: "after" | "asking" | "client-tool";
  run(cast: Cast): Promise<void>;
  /** The outcomes of its turns in order. */
  readonly outcomes: string | RegExp;
};

export type Asked = Extract<SessionEvent, { type: "call-asked" }>;

/** All that a scenario acts with. Keys, texts and labels hold the session's name, so that sessions can run side by side. */
export type Cast = {
  readonly client: FaithfulClient;
  readonly key: (turn: number) => string;
  readonly say: (
    first: ScriptedStep,
    ...rest: readonly ScriptedStep[]
  ) => { readonly message: string };
  /** A reader's ear that answers each call which is asked about, once; `over` resolves when all were acknowledged. */
  readonly answering: (decide: (event: Asked) => Decision | readonly Decision[] | null) => {
    readonly onEvent: OnEvent;
    readonly over: () => Promise<void>;
  };
  readonly call: (name: string, label: string) => { readonly name: string; readonly input: string };
  /** Lets the alarm go off, as the platform would, until nothing is left to do. */
  readonly settle: () => Promise<void>;
};

/** Crash at the `plan[0]`-th point, then at the `plan[1]`-th of what follows, and so on, counted from 1. */
export type Plan = readonly number[];

export type Run = {
  readonly plan: Plan;
  /** Names of the points before the first crash, and after each crash those before the next. */
  readonly passed: readonly (readonly string[])[];
  readonly crashes: number;
  readonly requests: number;
  readonly violations: readonly string[];
};

type Place = { readonly session: string; readonly agent: string };

/** Looks at a session that comes to rest before the test gives up. */
const PATIENCE = 200;

/** Runs scenarios beside each other, each in a session of its own, in one outside world. */
export class CrashLab {
  readonly #outside: Outside;
  readonly #watchers = new Map<string, (point: string) => boolean>();

  constructor() {
    this.#outside = resetOutside();
    this.#outside.pause = breathe;
    this.#outside.onPoint = (name, object) => this.#watchers.get(object)?.(name) ?? false;
  }

  /** Runs a scenario in a new session whose object crashes as planned, lets it come to rest, and judges what is left. */
  async run(scenario: Scenario, session: string, plan: Plan): Promise<Run> {
    const at: Place = { session, agent: scenario.agent ?? "scripted" };
    const key = keyOf(session, at.agent);
    const passed: string[][] = [[]];
    const crashes: { runs: number; requests: number }[] = [];
    this.#watchers.set(key, (name) => {
      const points = passed.at(-1);
      points?.push(name);
      if (points?.length !== plan[crashes.length]) return false;
      const { effects, witness } = this.#own(session);
      crashes.push({ runs: effects.runs.length, requests: witness.requests.length });
      passed.push([]);
      return true;
    });
    const client = clientOf(session, at.agent);
    await scenario.run(castOf(at, client));
    await settle(at);
    this.#watchers.delete(key);
    const seen = await this.#observe(at, client, crashes);
    const violations = [...checkInvariants(seen), ...this.#laterViolations(scenario, seen)];
    const outcomes = seen.tables.turns.map(({ state }) => state).join();
    const isExpected =
      typeof scenario.outcomes === "string"
        ? outcomes === scenario.outcomes
        : scenario.outcomes.test(outcomes);
    if (!isExpected) violations.push(`the turns ended as ${outcomes}`);
    if (await hasAlarmAfterItsLast(at)) violations.push("an idle object has an alarm");
    const requests = this.#own(session).witness.requests.length;
    return { plan, passed, crashes: crashes.length, requests, violations };
  }

  /** What the session did to the world: its labels and texts hold its name. */
  #own(session: string): Required<Pick<Observation, "effects" | "witness">> {
    const { effects, witness } = this.#outside;
    const isOwn = (text: string) => text.includes(`${session}/`);
    const keyed = [...effects.keyed].filter(([, label]) => isOwn(label));
    const requests = witness.requests.filter(({ messages }) => isOwn(JSON.stringify(messages[0])));
    return {
      effects: { ...effects, runs: effects.runs.filter(isOwn), keyed: new Map(keyed) },
      witness: { ...witness, requests },
    };
  }

  async #observe(
    { session, agent }: Place,
    client: FaithfulClient,
    crashes: Observation["crashes"],
  ): Promise<Observation> {
    const tables = await tablesOf(session, agent);
    return {
      ...this.#own(session),
      tables,
      sent: client.sent,
      streams: client.streams,
      replay: await client.replay(tables.turns.filter(({ joined }) => joined === null).length),
      history: await client.history(),
      tools: createScriptedTools(createEffects()),
      crashes,
    };
  }

  /** T11: work for ended turns is done at least once, each time with all that happened in the turn. */
  #laterViolations(scenario: Scenario, { tables }: Observation): string[] {
    if (scenario.agent !== "after") return [];
    return tables.turns.flatMap(({ id }) => {
      const done = this.#outside.afterTurns.filter(({ turn }) => turn === id);
      const all = tables.journal.filter(({ turn }) => turn === id).length;
      const isRight = done.length > 0 && done.every(({ entries }) => entries === all);
      return isRight ? [] : [`after ${id}: ${JSON.stringify(done)}, of ${all} entries`];
    });
  }
}

function castOf(at: Place, client: FaithfulClient): Cast {
  const { session } = at;
  return {
    client,
    key: (turn) => `${session}/t${turn}`,
    say: (first, ...rest) => ({
      message: JSON.stringify([{ of: `${session}/`, ...first }, ...rest]),
    }),
    answering(decide) {
      const answers: Promise<number>[] = [];
      return {
        onEvent(event) {
          if (event.type !== "call-asked") return;
          const decisions = [decide(event) ?? []].flat();
          for (const decision of decisions) answers.push(client.answer(event.call, decision));
        },
        over: async () => void (await Promise.all(answers)),
      };
    },
    call: (name, label) => ({ name, input: JSON.stringify({ label: `${session}/${label}` }) }),
    settle: () => settle(at),
  };
}

/** Fires the alarm until no turn is left. One that is cut off fires again: the platform promises at least once. */
async function settle({ session, agent }: Place): Promise<void> {
  for (let looks = 0; looks < PATIENCE; looks++) {
    try {
      const { jobs } = await tablesOf(session, agent);
      if (jobs.length === 0) return;
      await runDurableObjectAlarm(sessionStub(session, agent));
    } catch {
      await runInDurableObject(sessionStub(session, agent), (_, state) =>
        state.storage.setAlarm(Date.now() + 30_000),
      );
    }
    for (let breaths = 0; breaths < 5; breaths++) await breathe();
  }
  throw new Error("the session did not come to rest");
}

async function hasAlarmAfterItsLast({ session, agent }: Place): Promise<boolean> {
  const stub = sessionStub(session, agent);
  await runDurableObjectAlarm(stub);
  return runInDurableObject(stub, async (_, state) => (await state.storage.getAlarm()) !== null);
}
