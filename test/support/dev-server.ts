import { devNull } from "node:os";
import { startServer, type DevServer } from "./server-process.ts";

export type { DevServer };

export type DevServerOptions = {
  /** Variables of the Worker, over those of `wrangler.toml`. A developer's own `.dev.vars` is not read. */
  readonly env?: Readonly<Record<string, string>>;
  /** Any free one by default; name the old one to come back where clients wait. */
  readonly port?: number;
};

/**
 * The real development server, ready to answer. What it stores is in `persistDir`, so a second start there goes on where the
 * first one ended.
 */
export function startDevServer(
  persistDir: string,
  { env = {}, port = 0 }: DevServerOptions = {},
): Promise<DevServer> {
  const vars = Object.entries(env).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const options = {
    "--ip": "127.0.0.1",
    "--port": String(port),
    "--inspector-port": "0",
    "--persist-to": persistDir,
    "--show-interactive-dev-session": "false",
    "--env-file": devNull,
  };
  const args = ["node_modules/wrangler/bin/wrangler.js", "dev", ...Object.entries(options).flat()];
  return startServer([...args, ...vars]);
}
