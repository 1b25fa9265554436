// `node bench/profile.mjs [carrel|floordo|floorws] [text|tool] [turns]`: where the CPU of a turn goes, by module and
// by function, as V8's profiler sees it. Writes bench/results/NAME.cpuprofile for a browser's developer tools.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { warmUp } from "./experiments/turns.mjs";
import { cpuOf, freePort, launch, startMock, waitUntilReady } from "./server.mjs";
import { Session } from "./session.mjs";
import { connect } from "./socket.mjs";
import { ownTargets } from "./targets.mjs";

const SAMPLE_US = 100;
const SHOWN = 40;

const [name = "carrel", mode = "text", count = "300"] = process.argv.slice(2);
const turns = Number(count);
const directory = mkdtempSync(join(tmpdir(), "carrel-profile-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

const targets = ownTargets(build(directory, { isReadable: true }));
const target = targets.find((candidate) => candidate.name === name);
const inspector = await freePort();
const mock = await startMock();
const profiled = { ...target, start: target.profiled([`--inspector-addr=127.0.0.1:${inspector}`]) };
const server = await launch(profiled, { mock, directory: join(directory, "data") });
await waitUntilReady(server);
await warmUp([server], mock, 50);

const { profile, cpu } = await profileOf(server);
await server.stop();
const results = fileURLToPath(new URL("results/", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(join(results, `${name}.cpuprofile`), JSON.stringify(profile));
console.log(`${name}: ${turns} ${mode} turns, ${cpu.toFixed(2)} ms of CPU each`);
report(profile, modulesOf(target.bundle));
process.exit(0);

async function profileOf(running) {
  const socket = await connect(`ws://127.0.0.1:${inspector}/main`);
  const waiting = new Map();
  socket.onText = (text) => {
    const { id, result } = JSON.parse(text);
    waiting.get(id)?.(result);
  };
  const call = (method, params = {}) =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: SAMPLE_US });
  await call("Profiler.start");
  const before = cpuOf(running.pid);
  for (let done = 0; done < turns; done += 10) {
    const session = await new Session(running.target, "u1", `profile-${done}`).open();
    for (let turn = 0; turn < 10; turn++) await session.turn({ mode });
    session.close();
  }
  const used = cpuOf(running.pid) - before;
  const { profile: taken } = await call("Profiler.stop");
  socket.close();
  return { profile: taken, cpu: used / turns };
}

/** The module that each line of a bundle came from, by the comments that the bundler leaves. */
function modulesOf(file) {
  let current = "(start)";
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => {
      const path = /^\/\/ (\S+\.(?:m?js|ts))$/.exec(line)?.[1];
      if (path) current = path.replace(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\/.*/, "$1");
      return current.replace(/^(\.\.\/)+/, "");
    });
}

function report({ nodes, samples, timeDeltas }, modules) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const byModule = new Map();
  const byFunction = new Map();
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id);
    if (functionName === "(idle)") continue;
    const module = url === "" ? functionName : (modules[lineNumber] ?? url);
    add(byModule, module, timeDeltas[index]);
    const place = `${functionName || "(anonymous)"}  ${module}:${lineNumber + 1}`;
    add(byFunction, place, timeDeltas[index]);
  }
  print("by module", byModule);
  print("by function", byFunction);
}

function add(sums, key, microseconds) {
  sums.set(key, (sums.get(key) ?? 0) + microseconds);
}

function print(title, sums) {
  const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
  console.log(`\n${title} (${(all / 1000 / turns).toFixed(3)} ms a turn)`);
  for (const [key, value] of [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, SHOWN))
    console.log(`${(value / 1000 / turns).toFixed(3).padStart(8)}  ${key}`);
}
