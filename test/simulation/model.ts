import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { withInactivityLimit } from "../../src/model/watchdog.ts";
import { ModelError, type ModelErrorCode } from "../../src/shared/errors.ts";
import type { FinishReason } from "../../src/shared/messages.ts";
import { latency, type Ground } from "./ground.ts";
import type { Instance } from "./instance.ts";
import type { Random } from "./random.ts";

/** What one answer is going to be. */
type Plan = {
  readonly batches: readonly (readonly ModelEvent[])[];
  readonly end: "whole" | "no finish" | "silence" | "a bug" | ModelErrorCode;
  readonly finish: FinishReason;
  /** Goes on after it was told to stop. */
  readonly isDeaf: boolean;
  /** Longest time between two batches. */
  readonly pace: number;
};

const failures: readonly ModelErrorCode[] = [
  "rate_limited",
  "unavailable",
  "stalled",
  "malformed",
  "model_auth",
  "model_quota",
  "model_refused",
  "model_bad_request",
  "context_overflow",
];

/** A model that says and breaks anything that a provider could, as chance has it. `onRequest` sees what reached it. */
export function chanceModel(
  ground: Ground,
  instance: Instance,
  onRequest: (request: ModelRequest) => void,
  newLabel: () => string,
): Model {
  const model: Model = {
    id: "chance",
    async *stream(request, signal) {
      await instance.ask("the model's first byte", () => onRequest(request));
      const plan = planAnswer(ground.random, newLabel);
      ground.trace(() => `${instance.name}: the model will end with ${plan.end}`);
      for (const batch of plan.batches) {
        await instance.clock.sleep(ground.random.between(0, plan.pace));
        if (!plan.isDeaf) signal.throwIfAborted();
        yield batch;
      }
      await instance.clock.sleep(latency(ground));
      yield* endAnswer(plan, signal);
    },
  };
  return withInactivityLimit(model, 60_000, instance.clock);
}

async function* endAnswer(
  { end, finish }: Plan,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
  if (end === "no finish") return;
  if (end === "a bug") throw new TypeError("undefined is not a function");
  if (end === "silence") {
    await new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error)),
    );
  } else if (end !== "whole") {
    throw new ModelError(end, `The provider says ${end}.`);
  }
  yield [{ type: "finish", reason: finish, usage: { input: 100, output: 10, cached: 50 } }];
}

function planAnswer(random: Random, newLabel: () => string): Plan {
  const batches: ModelEvent[][] = [];
  const kind = random.weighted({ text: 10, calls: 8, nothing: 0.4, long: 0.2 });
  if (random.chance(0.25)) batches.push(...think(random));
  if (kind === "text" || random.chance(0.3)) batches.push(...say(random, random.between(1, 6), 60));
  if (kind === "long") batches.push(...say(random, 4, 20_000));
  if (kind === "calls") batches.push(...call(random, newLabel));
  if (random.chance(0.1)) batches.push(...say(random, 2, 20));
  const fails = random.chance(0.2);
  return {
    batches: fails ? batches.slice(0, random.between(0, batches.length)) : batches,
    end: fails ? random.pick(["no finish", "silence", "a bug", ...failures] as const) : "whole",
    finish:
      kind === "calls"
        ? "tool-calls"
        : random.weighted({ stop: 20, length: 1, other: 1, refused: 1 }),
    isDeaf: random.chance(0.1),
    pace: random.pick([0, 50, 50, 2_000, 9_000]),
  };
}

function think(random: Random): ModelEvent[][] {
  const events: ModelEvent[] = [{ type: "reasoning", text: "hm" }];
  if (random.chance(0.5)) events.push({ type: "reasoning-signature", signature: "sig" });
  return [events];
}

const words = ["yes ", "no ", "", "漢字", "👩‍💻", "\n\n", "data: x\n", "0.0 "] as const;

function say(random: Random, pieces: number, size: number): ModelEvent[][] {
  return Array.from({ length: pieces }, () => {
    const text = random.pick(words).repeat(random.between(1, size));
    // A provider may cut between any two units.
    const cut = random.between(0, text.length);
    return [
      { type: "text", text: text.slice(0, cut) },
      { type: "text", text: text.slice(cut) },
    ];
  });
}

function call(random: Random, newLabel: () => string): ModelEvent[][] {
  const count = random.chance(0.05) ? 9 : random.between(1, 3);
  const isSameIndex = random.chance(0.05);
  const batches = Array.from({ length: count }, (_, at): ModelEvent[] => {
    const name = random.weighted({
      pure: 3,
      keyed: 3,
      probed: 3,
      unsafe: 3,
      client: 1.5,
      unknown: 0.3,
    });
    const input = inputFor(random, newLabel);
    const cut = random.between(0, input.length);
    const index = isSameIndex ? 0 : at;
    return [
      { type: "tool-call", index, name },
      { type: "tool-input", index, text: input.slice(0, cut) },
      { type: "tool-input", index, text: input.slice(cut) },
    ];
  });
  // Arguments that come in turns, or for a call that was never begun.
  if (random.chance(0.05)) batches.push([{ type: "tool-input", index: 0, text: " " }]);
  if (random.chance(0.02)) batches.push([{ type: "tool-input", index: 77, text: "{}" }]);
  return batches;
}

function inputFor(random: Random, newLabel: () => string): string {
  const kind = random.weighted({ good: 20, malformed: 1, wrong: 1 });
  if (kind === "malformed") return `{"label": "${newLabel()}`;
  if (kind === "wrong") return '{"label": 7}';
  return JSON.stringify({ label: newLabel() });
}
