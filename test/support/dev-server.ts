import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { devNull } from "node:os";
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

export type DevServerOptions = {
  /** Variables of the Worker, over those of `wrangler.toml`. A developer's own `.dev.vars` is not read. */
  readonly env?: Readonly<Record<string, string>>;
  /** Any free one by default; name the old one to come back where clients wait. */
  readonly port?: number;
};

/**
 * The real development server in a process group of its own, ready to answer. What it stores is in
 * `persistDir`, so a second start there goes on where the first one ended. Should this process die, it ends too.
 */
export async function startDevServer(
  persistDir: string,
  options: DevServerOptions = {},
): Promise<DevServer> {
  const child = spawnWrangler(persistDir, options);
  let said = "";
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The dev server ${why}. It said:\n${said}`));
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

/** Without the shell, npm and scripts/dev.mjs between, so that one signal ends all of it at the same moment. */
function spawnWrangler(persistDir: string, { env = {}, port = 0 }: DevServerOptions): ChildProcess {
  const vars = Object.entries(env).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const options = {
    "--ip": "127.0.0.1",
    "--port": String(port),
    "--inspector-port": "0",
    "--persist-to": persistDir,
    "--show-interactive-dev-session": "false",
    "--env-file": devNull,
  };
  const preload = ["--import", new URL("../../scripts/end-with-parent.mjs", import.meta.url).href];
  const args = [
    "node_modules/wrangler/bin/wrangler.js",
    "dev",
    ...Object.entries(options).flat(),
    ...vars,
  ];
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
