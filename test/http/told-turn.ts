import fc from "fast-check";
import { toUiMessages, type Answer } from "../../src/http/ui-messages.ts";
import { pendingCalls, toPendingCall, type Fact } from "../../src/session/entries.ts";
import { EventLog } from "../../src/session/event-log.ts";
import { readHistory } from "../../src/session/history.ts";
import { Journal } from "../../src/session/journal.ts";
import { START, type IdentifiedEvent, type SessionStatus } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { append, emptyTables } from "../session/journal-fixture.ts";

/** Names of the tools that the client runs. */
export const clientTools = new Set(["locate"]);

const texts = {
  runs: "done",
  fails: "failed",
  denied: "not run",
} as const;

/** What befalls a call: of a server's tool, or of the client's. */
const serverFates = [
  "runs",
  "fails",
  "forbidden",
  "approved",
  "approved with a reason",
  "edited",
  "declined",
  "declined with a reason",
  "expired",
  "asked again",
  "withdrawn",
] as const;
const clientFates = ["gives", "gives JSON", "errs", "stopped", "forbidden", "malformed"] as const;

type Fate = (typeof serverFates)[number] | (typeof clientFates)[number];
type CallPlan = { readonly name: "look" | "locate"; readonly fate: Fate; readonly input: string };
type StepPlan = {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallPlan[];
  /** In which order the calls are answered. */
  readonly order: readonly number[];
  /** A message is taken in after the step. */
  readonly steers: boolean;
};

/** Writes the facts of one turn as the plan has it, the ids of its calls included. */
export class Scribe {
  readonly facts: Fact[] = [];

  constructor(steps: readonly StepPlan[], outcome: "completed" | "stopped") {
    this.facts.push({ kind: "user", content: [{ type: "text", text: "Hello" }] });
    for (const [index, plan] of steps.entries()) this.#step(index, plan);
    this.#say(steps.length, [{ type: "text", text: "So it is." }]);
    this.facts.push({ kind: "end", outcome, usage: noUsage, steps: steps.length + 1 });
  }

  #say(step: number, parts: Extract<Fact, { kind: "step" }>["parts"]): void {
    this.facts.push({
      kind: "step",
      step: step + 1,
      model: "m",
      parts,
      finish: "tool-calls",
      usage: noUsage,
    });
  }

  #step(index: number, { text, reasoning, calls, order, steers }: StepPlan): void {
    const named = calls.map((plan, at) => ({ ...plan, call: `call_${index}_${at}` }));
    this.#say(index, [
      ...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...named.map(({ call, name, fate, input }) => ({
        type: "tool-call" as const,
        call,
        name,
        input: fate === "malformed" ? '{"a":' : input,
      })),
    ]);
    for (const plan of named) this.#run(plan);
    const parked = named.filter((plan) => isAsked(plan.fate));
    for (const plan of parked) this.#ask(plan, "d1");
    const left = parked.map(({ call }) => call);
    const wait = () => {
      if (left.length > 0) this.facts.push({ kind: "waiting", calls: [...left], expiresAt: 9 });
    };
    wait();
    for (const place of order.slice(0, parked.length)) {
      const [plan] = parked.splice(place % parked.length, 1);
      if (!plan) continue;
      left.splice(left.indexOf(plan.call), 1);
      this.#answer(plan, wait);
    }
    if (steers)
      this.facts.push({
        kind: "steered",
        message: `m${index}`,
        content: [{ type: "text", text: "Also this." }],
      });
  }

  #run({ call, name, fate }: CallPlan & { readonly call: string }): void {
    if (fate === "runs") this.#result(call, name, "success", texts.runs);
    if (fate === "fails" || fate === "malformed") this.#result(call, name, "error", texts.fails);
    if (fate === "forbidden") this.#result(call, name, "denied", texts.denied);
  }

  #ask({ call, name, input }: CallPlan & { readonly call: string }, digest: string): void {
    const what = name === "locate" ? "client" : "approval";
    const reason = what === "client" ? "" : "It has an effect.";
    const given = input === "" ? "{}" : input;
    const asked = { call, name, what, input: given, digest, reason } as const;
    this.facts.push({ kind: "asked", ...asked, suggested: [], expiresAt: 9 });
  }

  #answer(plan: CallPlan & { readonly call: string }, wait: () => void): void {
    const { call, name, fate } = plan;
    const by = "user:ann";
    const answered = { kind: "answered", call, name, digest: "d1", by } as const;
    switch (fate) {
      case "gives":
      case "gives JSON":
        this.facts.push({ ...answered, answer: "result" });
        return this.#result(call, name, "success", fate === "gives" ? "Paris" : '{"city":"Paris"}');
      case "errs":
        this.facts.push({ ...answered, answer: "result" });
        return this.#result(call, name, "error", texts.fails);
      case "stopped":
      case "declined":
        this.facts.push({ ...answered, answer: "denied", by: "session" });
        return this.#result(call, name, "denied", texts.denied);
      case "declined with a reason":
        this.facts.push({ ...answered, answer: "denied", reason: "Not today." });
        return this.#result(call, name, "denied", texts.denied);
      case "expired":
        this.facts.push({ ...answered, answer: "expired", by: "session" });
        return this.#result(call, name, "denied", texts.denied);
      case "edited":
        this.facts.push({ ...answered, answer: "approved", input: '{"a":7}' });
        break;
      case "asked again":
        this.facts.push({ ...answered, answer: "approved" });
        this.#ask(plan, "d2");
        this.facts.push({ kind: "waiting", calls: [call], expiresAt: 9 });
        this.facts.push({ ...answered, answer: "approved", digest: "d2" });
        break;
      case "withdrawn":
        this.facts.push({ ...answered, answer: "approved" });
        this.#result(call, name, "denied", texts.denied);
        return wait();
      case "approved with a reason":
        this.facts.push({ ...answered, answer: "approved", reason: "Go on." });
        break;
      default:
        this.facts.push({ ...answered, answer: "approved" });
    }
    this.#result(call, name, "success", texts.runs);
    wait();
  }

  #result(call: string, name: string, status: "success" | "error" | "denied", text: string): void {
    this.facts.push({ kind: "result", call, name, status, content: [{ type: "text", text }] });
  }
}

const unasked: readonly Fate[] = ["runs", "fails", "forbidden", "malformed"];
const isAsked = (fate: Fate): boolean => !unasked.includes(fate);

/** The same turn when so many of its facts are known. */
export class Told {
  readonly events: readonly IdentifiedEvent[];
  readonly status: SessionStatus;
  readonly answer: Answer;
  readonly shown: unknown;

  constructor(facts: readonly Fact[]) {
    const sql = emptyTables();
    const journal = new Journal(sql);
    const entries = facts.map((fact, index) => ({ seq: index + 1, turn: "t", at: index, ...fact }));
    append(sql, journal, entries);
    const log = new EventLog(journal, () => null);
    this.events = log.read(START, Number.MAX_SAFE_INTEGER).events;
    const { messages } = readHistory(journal, journal.last + 1, 1);
    const answer = messages.find((message): message is Answer => message.role === "assistant");
    if (!answer) throw new Error("no answer");
    this.answer = answer;
    this.shown = toUiMessages(messages, clientTools)[1];
    const pending = pendingCalls(entries).map(toPendingCall);
    this.status = { type: "status", turns: [], pending, mode: "DEFAULT", last: log.last() };
  }
}

const input = fc.constantFrom("", "{}", '{"a":1,"b":[2]}');
const call: fc.Arbitrary<CallPlan> = fc.oneof(
  fc.record({ name: fc.constant("look" as const), fate: fc.constantFrom(...serverFates), input }),
  fc.record({ name: fc.constant("locate" as const), fate: fc.constantFrom(...clientFates), input }),
);
const step: fc.Arbitrary<StepPlan> = fc.record({
  text: fc.constantFrom("", "Let me see."),
  reasoning: fc.constantFrom("", "Hm."),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  order: fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }),
  steers: fc.boolean(),
});
const outcome = fc.constantFrom("completed" as const, "stopped" as const);

/** The facts of one turn, in order. */
export const turns: fc.Arbitrary<readonly Fact[]> = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 3 }), outcome)
  .map(([steps, how]) => new Scribe(steps, how).facts);
