// What the scripts know about the project. Runs before anything is installed: only Node's own modules here.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const installedNode = join(root, "node_modules/.bin/node");

/**
 * The Node.js that runs the tools (they need 22.12): the one in node_modules, or this one when it is new
 * enough. `null` when there is neither.
 */
export function findNode() {
  if (existsSync(installedNode)) return installedNode;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 12) ? process.execPath : null;
}

/** The environment of the tools: their programs come first, and nothing phones home or asks the network for updates. */
export function toolEnv() {
  return {
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    // The local trace store makes every call to an object several times slower.
    X_LOCAL_OBSERVABILITY: "false",
    ...process.env,
    PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
  };
}
