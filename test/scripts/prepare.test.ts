import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { root } from "../support/source.ts";

let folder = "";

const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const read = (path: string): string => readFileSync(join(folder, path), "utf8");

const lockOf = (packages: Readonly<Record<string, object>>): string => JSON.stringify({ packages });

/** Stands in for npm: notes that it ran, and installs what the lock names, without what is for other systems. */
const npm = `
  const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
  appendFileSync("npm-runs.txt", process.argv.slice(2).join(" ") + "\\n");
  if (process.env.NPM_FAILS) process.exit(7);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const installed = Object.entries(packages).filter(([path, { optional }]) => path !== "" && !optional);
  mkdirSync("node_modules", { recursive: true });
  writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: Object.fromEntries(installed) }));`;

function prepare(env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, ["scripts/prepare.mjs"], {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...process.env,
      npm_execpath: join(folder, "npm-cli.js"),
      npm_node_execpath: process.execPath,
      ...env,
    },
  });
}

const npmRuns = (): number => read("npm-runs.txt").trimEnd().split("\n").length;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "carrel-prepare-"));
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
  write("npm-cli.js", npm);
  write("seed-workspace/AGENTS.md", "Be kind.");
  write(
    "package-lock.json",
    lockOf({
      "": {},
      "node_modules/zod": { version: "1.0.0" },
      "node_modules/other": { version: "1.0.0", optional: true },
    }),
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("prepare", () => {
  it("installs exactly what is locked and builds the template", () => {
    expect(prepare().status).toBe(0);
    expect(read("npm-runs.txt")).toMatch(/^ci --include=dev /);
    expect(read(".template/template.ts")).toContain("Be kind.");
  });

  it("says nothing and installs nothing when all is there", () => {
    prepare();
    expect(prepare()).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(npmRuns()).toBe(1);
  });

  it("installs again when the lock names another version, and when an installation was cut short", () => {
    prepare();
    write("package-lock.json", lockOf({ "": {}, "node_modules/zod": { version: "1.0.1" } }));
    prepare();
    expect(npmRuns()).toBe(2);
    rmSync(join(folder, "node_modules/.package-lock.json"));
    prepare();
    expect(npmRuns()).toBe(3);
  });

  it("uses the Node.js of node_modules for the template, if there is one", () => {
    prepare();
    mkdirSync(join(folder, "node_modules/.bin"));
    symlinkSync("/bin/echo", join(folder, "node_modules/.bin/node"));
    expect(prepare().stdout).toBe("scripts/build-template.mjs\n");
  });

  it("stops with npm's own words and ours when npm fails", () => {
    const { status, stderr } = prepare({ NPM_FAILS: "1" });
    expect(status).toBe(1);
    expect(stderr).toContain("Carrel could not be set up: npm ci failed (exit code 7)");
  });

  it("stops when the template cannot be built", () => {
    write("seed-workspace/.env", "KEY=1");
    expect(prepare().status).toBe(1);
  });
});
