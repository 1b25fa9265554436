// Starts, watches and ends the processes that are measured.
import { fork, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, readdirSync, rmSync } from "node:fs";
import net from "node:net";
import { fileURLToPath } from "node:url";
import { now, sleep } from "./clock.mjs";
import { get } from "./http.mjs";

const START_MS = 60_000;
const STOP_MS = 3_000;

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** A port that is free now. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The mock provider in a process of its own; it ends with this one. */
export async function startMock() {
  const child = fork(fileURLToPath(new URL("mock.mjs", import.meta.url)));
  running.add(child);
  const { port } = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error("the mock provider did not start")));
  });
  const url = `http://127.0.0.1:${port}`;
  return { url, takeLog: async () => JSON.parse(await get(port, "/dump")) };
}

/**
 * Starts a target's server, on a free port unless the target names one; its data is kept from an earlier start only on
 * request. Gives it at once, with its port in its target: `waitUntilReady` says when it answers.
 */
export async function launch(description, { mock, directory, keep = false }) {
  const target = { ...description, port: description.port ?? (await freePort()) };
  if (!keep) rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { cmd, args, cwd, env } = target.start(target.port, directory, mock.url);
  const log = openSync(`${directory}/log.txt`, "a");
  const startedAt = now();
  const child = spawn(cmd, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", log, log],
  });
  running.add(child);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    target,
    pid: child.pid,
    startedAt,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    log: () => readFileSync(`${directory}/log.txt`, "utf8").slice(-2_000),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await exited;
      clearTimeout(timer);
      running.delete(child);
    },
  };
}

/** Resolves when the server answers. Throws with the end of its log when it does not within a minute. */
export async function waitUntilReady(server) {
  const path = server.target.health ?? "/healthz";
  while (now() - server.startedAt < START_MS && !server.hasExited()) {
    if (await get(server.target.port, path).catch(() => null)) return;
    await sleep(2);
  }
  throw new Error(`${server.target.name} did not start:\n${server.log()}`);
}

/** CPU that a process has used, in milliseconds, user and system. */
export function cpuOf(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = tasks.map((task) => {
    const stat = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8");
    return Number(stat.split(" ")[0]);
  });
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}
