// Before every command: installs the locked packages if they are not there and builds the workspace template.
// Quick when nothing is to do. Runs on a bare machine, so only Node's own modules here.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findNode, root } from "./project.mjs";

/** Whether node_modules holds exactly what the lock names; packages for other systems may be absent. */
function isInstalled() {
  const wanted = readPackages("package-lock.json");
  const present = readPackages("node_modules/.package-lock.json");
  if (!wanted || !present || !findNode()) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === "") return true;
    return present[path] ? present[path].version === version : optional === true;
  });
}

/** The lock's packages by path, or `null` without a readable lock. */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages ?? null;
  } catch {
    return null;
  }
}

/** The npm that started this, run by the Node.js it runs on: the one in node_modules is about to be replaced. */
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  return npm && basename(npm) === "npm-cli.js" ? [node ?? process.execPath, npm] : ["npm"];
}

function install() {
  console.log("Installing packages: about half a minute, only this once.");
  const [command, ...first] = npmCommand();
  const args = [...first, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0)
    fail(`npm ci failed (${error?.message ?? `exit code ${status}`}); its own words are above.`);
  if (!findNode())
    fail('the package "node" brought no program for this system. Install Node.js 22.12 or newer.');
}

function buildTemplate() {
  const { status } = spawnSync(findNode(), ["scripts/build-template.mjs"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}

function fail(why) {
  console.error(`Carrel could not be set up: ${why}`);
  process.exit(1);
}

if (!isInstalled()) install();
buildTemplate();
