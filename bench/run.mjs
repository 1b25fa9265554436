// `npm run bench`: the same work on Carrel and on the least that a durable chat costs here (`floordo`: a hand-written
// loop over an object's SQLite; `floorws`: the same over a WebSocket), against a mock provider, all on 127.0.0.1.
// Prints one table and stops by itself after about three minutes. Compare figures of one run only: absolute times
// move by 40 % between runs, ratios by about 15 %.
//   --quick               fewer repeats: about a minute
//   --targets FILE        measure others beside it (see bench/targets.mjs); --only a,b picks among them
//   --out FILE            the numbers as JSON
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build, gzipKiB } from "./build.mjs";
import { measureGrowth } from "./experiments/growth.mjs";
import { measureLoad } from "./experiments/load.mjs";
import { measureColdStarts, measureResume, measureStartCpu } from "./experiments/starts.mjs";
import { measureStorage } from "./experiments/storage.mjs";
import { measureTurns, warmUp } from "./experiments/turns.mjs";
import { rowsOf, toTable } from "./report.mjs";
import { launch, startMock, waitUntilReady } from "./server.mjs";
import { ownTargets, startTargets } from "./targets.mjs";

const FULL = { rounds: 24, lengths: [10, 100, 1_000, 5_000], loads: 5, starts: 11, resumes: 7 };
const QUICK = { rounds: 6, lengths: [10, 100, 1_000], loads: 2, starts: 5, resumes: 3 };
const SESSIONS = 32;
/** With slow peers in it a run takes about eight minutes. */
const TIME_LIMIT_MS = 20 * 60_000;
/** The first and the last token of the mock's 100, and 98 words. */
const REPLY_BYTES = 98 * "lorem ".length + 24;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    targets: { type: "string" },
    only: { type: "string" },
    out: { type: "string" },
  },
});
const size = options.quick ? QUICK : FULL;
const directory = mkdtempSync(join(tmpdir(), "carrel-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
setTimeout(() => stop("it took too long"), TIME_LIMIT_MS).unref();

const startedAt = performance.now();
function stop(why) {
  console.error(`The benchmark was given up: ${why}.`);
  process.exit(1);
}

const say = (text) =>
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);

say("building");
const bundles = build(directory);
const [carrel, floordo, floorws] = ownTargets(bundles);
const others = await otherTargets();
const mock = await startMock();

const measured = { ...(await timed()), ...(await stored()), ...(await started()) };
const rows = rowsOf({
  ...measured,
  sessions: SESSIONS,
  replyBytes: REPLY_BYTES,
  bundle: { carrel: gzipKiB(bundles.product), floordo: gzipKiB(bundles.floor) },
});
if (options.out) save(options.out, { measured, rows });
console.log(toTable(rows));
process.exit(0);

async function otherTargets() {
  if (!options.targets) return [];
  const { default: all } = await import(pathToFileURL(resolve(options.targets)).href);
  const only = options.only?.split(",");
  return only ? all.filter(({ name }) => only.includes(name)) : all;
}

/** What needs all servers up at once, so that they can be measured in turns. */
async function timed() {
  const servers = [];
  for (const target of [carrel, floordo, floorws, ...others]) {
    const server = await launch(target, { mock, directory: join(directory, target.name) });
    await waitUntilReady(server);
    servers.push(server);
  }
  say("warming up");
  await warmUp(servers, mock, 30);
  const turns = async (name, kind) => {
    say(name);
    return measureTurns(servers, mock, { name, rounds: size.rounds, ...kind });
  };
  const text20 = await turns("text-20", { tokens: 20 });
  const text100 = await turns("text-100", { tokens: 100 });
  const tool = await turns("tool", { mode: "tool" });
  say("load");
  const load = await measureLoad(servers, mock, {
    sessions: SESSIONS,
    turns: 10,
    repeats: size.loads,
  });
  say(`growth to ${size.lengths.at(-1)} messages`);
  const growth = await measureGrowth(servers[0], mock, {
    lengths: size.lengths,
    rounds: size.rounds,
    sessionId: "long",
  });
  for (const server of servers) await server.stop();
  return { text20, text100, tool, load, growth };
}

/** Counted on builds that count; the long session is the one that has just been grown. */
async function stored() {
  say("storage");
  const common = { mock, tokens: 100 };
  const fresh = (target) =>
    measureStorage(target, {
      ...common,
      directory: join(directory, `counted-${target.name}`),
      keep: false,
      sessionId: "short",
    });
  const long = await measureStorage(carrel, {
    ...common,
    directory: join(directory, carrel.name),
    keep: true,
    sessionId: `long-${size.lengths.at(-1)}`,
  });
  return {
    storage: await fresh(carrel),
    floorStorage: await fresh(floordo),
    longStorage: [size.lengths.at(-1), long],
  };
}

async function started() {
  say("starts");
  const common = { mock, directory };
  const cold = await measureColdStarts([carrel, floordo, ...others], {
    ...common,
    repeats: size.starts,
  });
  const startCpu = await measureStartCpu(startTargets(bundles), {
    ...common,
    repeats: size.starts,
  });
  say("resume");
  const resume = {};
  for (const target of [carrel, floorws, ...others]) {
    const repeats = size.resumes;
    resume[target.name] = await measureResume(target, { ...common, messages: 1_000, repeats });
  }
  return { cold: Object.fromEntries(cold), startCpu, resume };
}

function save(file, result) {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(
    resolve(file),
    `${JSON.stringify({ at: new Date().toISOString(), ...result }, null, 1)}\n`,
  );
}
