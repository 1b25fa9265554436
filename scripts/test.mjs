// `npm test`: every check in order, stopping at the first that fails. Arguments are passed on to vitest:
// `npm test -- test/model`. The last line is the count, like `312 passed, 0 failed`.
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, toolEnv } from "./project.mjs";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const CHECKS = ["template", "typecheck", "lint", "format:check"];
/** Side by side within a group: `node` keeps both cores of a small machine busy, the others together. */
const GROUPS = [["node"], ["worker", "crash", "seeds"]];

/** Memory that looks like a disk, where a machine has it: objects in workerd wait for each of their writes. */
const MEMORY_DISK = "/dev/shm";
const MEMORY_DISK_BYTES = 4_000_000_000;

const reports = mkdtempSync(join(placeForFiles(), "carrel-test-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));
process.exitCode = (await runChecks()) && (await runTests(process.argv.slice(2))) ? 0 : 1;

/** Where the tests put their files. */
function placeForFiles() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    accessSync(MEMORY_DISK, constants.W_OK);
    return bavail * bsize >= MEMORY_DISK_BYTES ? MEMORY_DISK : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function runChecks() {
  for (const name of CHECKS) {
    const started = performance.now();
    const { code, output } = await run(scripts[name], ["ignore", "pipe", "pipe"], { shell: true });
    console.log(
      `${code === 0 ? "✓" : "✗"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
    );
    if (code === 0) continue;
    console.error(output);
    return false;
  }
  return true;
}

/** The groups one after the other, until one has a failure. */
async function runTests(args) {
  const total = { passed: 0, failed: 0 };
  const chosen = args.some((arg) => arg.startsWith("--project")) ? [[null]] : GROUPS;
  for (const group of chosen) {
    const runs = group.map((project, index) => runProject(project, args, index === 0));
    for (const { passed, failed } of await Promise.all(runs)) {
      total.passed += passed;
      total.failed += failed;
    }
    if (total.failed > 0) break;
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0;
}

/** `isShown`: its output appears as it comes; otherwise when it is over, so that two do not mix. */
async function runProject(project, args, isShown) {
  const report = join(reports, `${project}.json`);
  const out = isShown ? "inherit" : "pipe";
  const { code, output } = await run("vitest", ["ignore", out, out], {
    args: [
      "run",
      "--config=test/vitest.config.ts",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...(project ? ["--project", project] : []),
      ...(project === "seeds" ? ["--maxWorkers=1"] : []),
      // A filter may leave a project without a file; without one, that would hide that its tests are gone.
      ...(args.length > 0 ? ["--passWithNoTests", ...args] : []),
    ],
  });
  if (!isShown) process.stdout.write(output);
  return count(report, code);
}

/** A file that cannot be loaded, an error outside of any test and a lost report each count as one failure. */
function count(report, code) {
  const { passed, failed } = readReport(report);
  return { passed, failed: failed || (code === 0 ? 0 : 1) };
}

function readReport(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    const broken = testResults.filter(
      (file) => file.status === "failed" && file.assertionResults.length === 0,
    );
    return { passed: numPassedTests, failed: numFailedTests + broken.length };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

function run(command, stdio, { args = [], shell = false }) {
  return new Promise((resolve) => {
    const env = { ...toolEnv(), TMPDIR: reports };
    const child = spawn(command, args, { cwd: root, env, stdio, shell });
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }),
    );
    process.once("SIGTERM", () => child.kill("SIGTERM"));
  });
}
