// `npm run simulate -- --seed 7`: one run with everything that happens in it. `--runs 1000 [--seed 1]`: so many runs
// from that seed on, and only what was broken.
import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, runs: { type: "string" }, quiet: { type: "boolean" } },
});
// Whoever only wants the beginning closes the pipe.
process.stdout.on("error", () => process.exit());
const first = Number(values.seed ?? 1);
const runs = Number(values.runs ?? 1);
const started = performance.now();
const faults = new Map<string, number>();
let [events, turns, broken] = [0, 0, 0];
let seed = first;
process.on("unhandledRejection", (error) => {
  console.log(`seed ${seed}: nobody handled`, error);
  process.exit(1);
});
for (; seed < first + runs; seed++) {
  const outcome = await simulate(seed, runs > 1 || values.quiet ? undefined : console.log);
  events += outcome.events;
  turns += outcome.turns;
  for (const [kind, count] of outcome.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
  if (outcome.violations.length === 0) continue;
  broken++;
  console.log(`seed ${seed}, ${outcome.events} events:\n  ${outcome.violations.join("\n  ")}`);
}
const seconds = (performance.now() - started) / 1_000;
console.log(
  `${runs} runs, ${broken} broken; ${turns} turns, ${events} events; ${Math.round(runs / seconds)} runs/s, ${Math.round(turns / seconds)} turns/s`,
);
console.log([...faults].map(([kind, count]) => `${count} × ${kind}`).join(", "));
process.exitCode = broken > 0 ? 1 : 0;
