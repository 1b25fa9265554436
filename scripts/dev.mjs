// `npm start`: wrangler dev on this machine. Arguments are passed on: `npm start -- --port 9000`.
import { spawn } from "node:child_process";
import { findNode, root, toolEnv } from "./project.mjs";

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
const STOP_MS = 5000;

const args = process.argv.slice(2);
const ip = args.some((arg) => /^--ip(=|$)/.test(arg)) ? [] : ["--ip", "127.0.0.1"];
const wrangler = ["dev", "--show-interactive-dev-session=false", ...ip, ...args];
const preload = ["--import", new URL("end-with-parent.mjs", import.meta.url).href];

// In a process group of its own, so that its workerd and esbuild can be ended with it.
const server = spawn(
  findNode() ?? process.execPath,
  [...preload, "node_modules/wrangler/bin/wrangler.js", ...wrangler],
  { cwd: root, env: toolEnv(), detached: true, stdio: "pipe" },
);

/** What wrangler said before it was ready: shown only if it never is, apart from warnings. */
const held = { stdout: "", stderr: "" };
let ready = false;
let stopping = null;

for (const name of ["stdout", "stderr"]) {
  server[name].setEncoding("utf8").on("data", (text) => {
    if (ready) process[name].write(text);
    else hold(name, text);
  });
}
server.once("error", (error) => console.error(`wrangler could not be started: ${error.message}`));
server.once("exit", (code) => {
  if (!ready && !stopping) process.stderr.write(held.stdout + held.stderr);
  killGroup("SIGKILL");
  process.exit(stopping ? 128 + SIGNALS[stopping] : (code ?? 1));
});

for (const signal of Object.keys(SIGNALS)) process.on(signal, () => stop(signal));
endWithParent();

function hold(name, text) {
  held[name] += text;
  const url = /Ready on (https?:\/\/\S+)/.exec(held.stdout)?.[1];
  if (url) void announce(url.replace("//127.0.0.1:", "//localhost:"));
}

async function announce(url) {
  ready = true;
  await fetch(`${url}/healthz`).catch(() => null); // compiles the Worker, so the first visitor need not wait for it
  for (const warning of warnings()) process.stderr.write(warning);
  const turn = `curl -N ${url}/v1/agents/main/sessions/s1/turns`;
  const headers = `-H 'content-type: application/json' -H 'accept: text/event-stream'`;
  console.log(`Carrel is ready: open ${url} or try\n  ${turn} ${headers} -d '{"message":"Hello"}'`);
}

/** Wrangler's warnings, apart from the one about cron triggers: it is true of every local run. */
const warnings = () =>
  held.stderr
    .split(/^(?=\S*▲)/m)
    .filter((text) => !text.includes("Scheduled Workers are not automatically triggered"));

function stop(signal) {
  if (stopping) return;
  stopping = signal;
  killGroup("SIGTERM");
  setTimeout(() => killGroup("SIGKILL"), STOP_MS);
}

function killGroup(signal) {
  try {
    if (server.pid) process.kill(-server.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** npm may be killed without a word to what it started: then this is an orphan, and ends too. */
function endWithParent() {
  const parent = process.ppid;
  const check = () => process.ppid === parent || stop("SIGHUP");
  if (process.env.npm_lifecycle_event) setInterval(check, 500).unref();
}
