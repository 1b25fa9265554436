// Bundles the Workers as a deployment would, minified.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { findNode, root, toolEnv } from "../scripts/project.mjs";

/**
 * The paths of the bundles below `directory`: `product` (the Worker that is deployed), `carrel` (the same with the
 * agent of this benchmark) and `floor`. `isReadable` leaves names and line breaks as they are, for profiles.
 */
export const build = (directory, options = {}) => ({
  product: bundle(directory, "product", null, options),
  carrel: bundle(directory, "carrel", "bench/worker/carrel.ts", options),
  floor: bundle(directory, "floor", "bench/worker/floor.ts", options),
});

/** The path of one bundle below `directory`, from its first module; `null`: the product, from what `wrangler.toml` says. */
export function bundle(directory, name, main, { isReadable = false } = {}) {
  const out = join(directory, "bundles", name);
  const config = main === null ? join(root, "wrangler.toml") : writeConfig(directory, name, main);
  const args = ["deploy", "--dry-run", "--outdir", out, "--config", config];
  const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
  const { status, stderr } = spawnSync(
    findNode() ?? process.execPath,
    [wrangler, ...args, ...(isReadable ? [] : ["--minify"])],
    { cwd: root, env: toolEnv(), encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${name} could not be bundled:\n${stderr}`);
  return join(out, main === null ? "index.js" : `${name}.js`);
}

/** What a bundle weighs on its way to the edge. */
export const gzipKiB = (file) => gzipSync(readFileSync(file)).length / 1024;

/** A config that says no more than where to begin: bindings are given to workerd. */
function writeConfig(directory, name, main) {
  const file = join(directory, `${name}.wrangler.json`);
  const settings = { compatibility_date: "2026-11-01", keep_names: false };
  writeFileSync(file, JSON.stringify({ name, main: join(root, main), ...settings }));
  return file;
}
