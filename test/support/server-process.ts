import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { findNode, toolEnv } from "../../scripts/project.mjs";
import { root } from "./source.ts";

/** How long a start may take, in milliseconds. */
const PATIENCE = 60_000;

export type DevServer = {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Ends everything at once, as a power cut would: nothing gets to finish. Safe to call twice. */
  kill9(): Promise<void>;
  /** Lets it end by itself, then ends what is left. Safe to call twice. */
  stop(): Promise<void>;
  /** What it has said so far. */
  log(): string;
};

/**
 * Starts a server by the arguments of a Node.js process, in a process group of its own, and waits until it says where it is
 * ready. Should this process die, it ends too.
 */
export async function startServer(args: readonly string[]): Promise<DevServer> {
  const child = spawnNode(args);
  let said = "";
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The server ${why}. It said:\n${said}`));
    const timer = setTimeout(fail, PATIENCE, "did not start");
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const ready = /Ready on (http:\/\/[\w.]+:\d+)/.exec(said)?.[1];
        if (ready === undefined) return;
        clearTimeout(timer);
        resolve(ready);
      });
    }
    child.once("exit", () => {
      clearTimeout(timer);
      fail("ended");
    });
  }).catch((error: unknown) => {
    signalGroup(child, "SIGKILL");
    throw error;
  });
  const end = async () => {
    signalGroup(child, "SIGKILL");
    await exited;
  };
  return {
    url,
    port: Number(new URL(url).port),
    kill9: end,
    async stop() {
      signalGroup(child, "SIGTERM");
      await exited;
      await end();
    },
    log: () => said,
  };
}

/** Without a shell or npm between, so that one signal ends all of it at the same moment. */
function spawnNode(args: readonly string[]): ChildProcess {
  const preload = ["--import", new URL("../../scripts/end-with-parent.mjs", import.meta.url).href];
  return spawn(findNode() ?? process.execPath, [...preload, ...args], {
    cwd: root,
    env: toolEnv(),
    detached: true,
    stdio: "pipe",
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
