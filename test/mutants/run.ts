// `npm run mutants`: plants each defect of `mutants.ts` in a copy of the project and runs the test that must catch it.
// `--only NAME`: those whose name holds that. Ends with a failure when a defect is not caught.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toolEnv } from "../../scripts/project.mjs";
import { root } from "../support/source.ts";
import { plant, type Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const chosen = mutants.filter(({ name }) => name.includes(values.only ?? ""));
/** Copies that are worked in beside each other: one for each core of a small machine. */
const BESIDE = 2;
/** A test that takes longer hangs, which is as good as a failure. */
const PATIENCE_MS = 120_000;

const copies = mkdtempSync(join(tmpdir(), "carrel-mutants-"));
const running = new Set<ReturnType<typeof spawn>>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(copies, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));

type Verdict = "caught" | "missed" | "the test fails without it" | "there is no such test";

const queue = [...chosen];
const verdicts = new Map<Mutant, Verdict>();
await Promise.all(Array.from({ length: BESIDE }, (_, no) => work(copyOf(no))));
const missed = chosen.filter((mutant) => verdicts.get(mutant) !== "caught");
console.log(`${chosen.length - missed.length} of ${chosen.length} defects were caught`);
process.exit(missed.length === 0 ? 0 : 1);

async function work(copy: string): Promise<void> {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const verdict = await judge(mutant, copy);
    verdicts.set(mutant, verdict);
    console.log(
      `${verdict === "caught" ? "✓" : "✗"} ${mutant.name}: ${verdict}, by ${mutant.test}`,
    );
  }
}

async function judge(mutant: Mutant, copy: string): Promise<Verdict> {
  const file = join(copy, mutant.file);
  const source = readFileSync(file, "utf8");
  const planted = plant(mutant, source);
  const before = await runTest(mutant, copy);
  if (before !== "passed")
    return before === "none" ? "there is no such test" : "the test fails without it";
  writeFileSync(file, planted);
  const after = await runTest(mutant, copy);
  writeFileSync(file, source);
  return after === "failed" ? "caught" : "missed";
}

function copyOf(no: number): string {
  const copy = join(copies, String(no));
  for (const part of [
    "src",
    "durable-objects",
    "test",
    "seed-workspace",
    "scripts",
    ".template",
    "docs",
    "public",
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  for (const part of ["package.json", "tsconfig.json", "wrangler.toml", "README.md"])
    cpSync(join(root, part), join(copy, part));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function runTest(
  { test, in: file, project = "node" }: Mutant,
  copy: string,
): Promise<"passed" | "failed" | "none"> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const pattern = test.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const args = [
    "run",
    "--config=test/vitest.config.ts",
    `--project=${project}`,
    file,
    "-t",
    pattern,
  ];
  const child = spawn(
    "vitest",
    [...args, "--reporter=json", `--outputFile=${report}`, "--maxWorkers=1"],
    {
      cwd: copy,
      env: toolEnv(),
      stdio: "ignore",
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    },
  );
  running.add(child);
  return new Promise((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      resolve(code === 0 ? (passedIn(report) > 0 ? "passed" : "none") : "failed");
    });
  });
}

function passedIn(report: string): number {
  try {
    const { numPassedTests } = JSON.parse(readFileSync(report, "utf8")) as {
      numPassedTests: number;
    };
    return numPassedTests;
  } catch {
    return 0;
  }
}
