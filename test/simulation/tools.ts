import { CarrelError, invalid } from "../../src/shared/errors.ts";
import type { ClientTool, Replay, Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";
import type { Effects } from "../support/scripted-tools.ts";
import { latency, type Ground } from "./ground.ts";
import type { Instance } from "./instance.ts";

/** The tools of a simulation: one for each replay class. */
export const chanceTools: readonly { readonly name: string; readonly replay: Replay }[] = [
  { name: "pure", replay: "pure" },
  { name: "keyed", replay: "idempotent" },
  { name: "probed", replay: "checkable" },
  { name: "unsafe", replay: "unsafe" },
];

/** A tool that the client runs: nothing of it happens here. */
export const clientTool: ClientTool = {
  name: "client",
  description: "client",
  inputSchema: { type: "object" },
  effect: "external",
  runsOn: "client",
  prepare(input) {
    labelOf(input);
    return {};
  },
  accept(output) {
    if (typeof output !== "string") throw invalid("The result must be a text.");
    return [{ type: "text", text: output }];
  },
};

/** The tools as one instance has them; what they do outside is kept in `effects`. `onRun` hears of each effect. */
export function createChanceTools(
  ground: Ground,
  instance: Instance,
  effects: Effects,
  onRun: (key: string) => void,
): Tool[] {
  const own = chanceTools.map(({ name, replay }): Tool => ({
    name,
    description: name,
    inputSchema: { type: "object" },
    effect: replay === "pure" ? "read" : "external",
    replay,
    parallel: replay === "pure" || replay === "idempotent",
    prepare(input) {
      const label = labelOf(input);
      const isKeyed = replay === "idempotent" || replay === "checkable";
      return {
        run: (context) =>
          run(ground, instance, context, () => {
            onRun(context.key);
            // A server that knows the key does nothing the second time.
            if (isKeyed && effects.keyed.has(context.key)) return;
            effects.runs.push(`${name}:${label}`);
            if (isKeyed) effects.keyed.set(context.key, label);
          }),
        ...(replay === "checkable"
          ? { probe: ({ key }: ToolContext) => probe(ground, instance, key, effects) }
          : {}),
      };
    },
  }));
  return [...own, clientTool];
}

function labelOf(input: unknown): string {
  const { label = "x" } = (input ?? {}) as { label?: unknown };
  if (typeof label !== "string") throw invalid("label must be a text");
  return label;
}

async function run(
  { random, trace }: Ground,
  instance: Instance,
  { key, signal }: ToolContext,
  effect: () => void,
): Promise<ToolOutput> {
  const how = random.weighted({
    quick: 20,
    slow: 5,
    never: 0.5,
    deaf: 0.5,
    fails: 2,
    bug: 1,
    much: 0.4,
  });
  trace(() => `${instance.name}: ${key} runs, ${how}`);
  await instance.ask(`the effect of ${key}`, effect);
  if (how === "never") await instance.clock.sleep(10_000_000, signal);
  if (how === "slow") await instance.clock.sleep(random.between(100, 20_000), signal);
  if (how === "deaf") await instance.clock.sleep(400_000);
  if (how !== "deaf") signal.throwIfAborted();
  if (how === "fails") throw new CarrelError("not_found", "There is no such thing.");
  if (how === "bug") throw new TypeError("undefined is not a function");
  if (how === "much")
    return [{ type: "text", text: "much 漢 ".repeat(random.pick([4_000, 15_000])) }];
  return "done";
}

const probe = (ground: Ground, instance: Instance, key: string, effects: Effects) =>
  instance.ask(
    `the probe of ${key}`,
    () => {
      const isUnsure = ground.random.chance(0.1);
      return isUnsure ? "unknown" : effects.keyed.has(key) ? "done" : "absent";
    },
    latency(ground),
  );
