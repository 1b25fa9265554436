import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { findNode, toolEnv } from "../../scripts/project.mjs";
import type { DevServerOptions } from "./dev-server.ts";
import { startServer, type DevServer } from "./server-process.ts";
import { root } from "./source.ts";

const config = join(root, "wrangler.toml");

/**
 * The Worker built once, for servers that are started again and again over what they have stored in `directory`: the same
 * runtime, stores and bindings as the development server has, which is ready in a quarter of the time.
 */
export class BareServers {
  readonly #directory: string;
  readonly #options: ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"];
  readonly #vars: Readonly<Record<string, unknown>>;

  constructor(directory: string) {
    this.#directory = directory;
    const args = ["deploy", "--dry-run", "--outdir", this.#built];
    build(["node_modules/wrangler/bin/wrangler.js", ...args]);
    this.#options = unstable_getMiniflareWorkerOptions(config).workerOptions;
    // A developer's own variables are none of the tests'.
    this.#vars = unstable_readConfig({ config }).vars;
  }

  /** Ready to answer. What it stores is where the development server would have it. */
  start({ env = {}, port = 0 }: DevServerOptions = {}): Promise<DevServer> {
    const options = {
      host: "127.0.0.1",
      port,
      // Has each object keep its name, by which its file is found.
      unsafeLocalExplorer: true,
      resourcePersistencePath: join(this.#directory, "v3"),
      workers: [
        {
          ...this.#options,
          name: "carrel",
          bindings: { ...this.#vars, ...env },
          modulesRoot: this.#built,
          modules: [{ type: "ESModule", path: join(this.#built, "index.js") }],
        },
      ],
    };
    const file = join(this.#built, "server.json");
    writeFileSync(file, JSON.stringify(options));
    return startServer(["test/support/bare-server-process.mjs", file]);
  }

  get #built(): string {
    const built = join(this.#directory, "worker");
    mkdirSync(built, { recursive: true });
    return built;
  }
}

function build(args: readonly string[]): void {
  const options = { cwd: root, env: toolEnv(), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(findNode() ?? process.execPath, args, options);
  if (status !== 0) throw new Error(`The Worker could not be built:\n${stdout}${stderr}`);
}
