import { beforeEach, describe, expect, it, vi } from "vitest";
import type { BucketKey } from "../../src/shared/bucket-key.ts";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { resetOutside } from "../support/outside.ts";
import { sample, seededRandom } from "../support/random.ts";
import { ask, filesOf, userBucket } from "./workspace-object.ts";

/** Second crashes that are tried. */
const PAIRS = 60;

beforeEach(() => {
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
});

const text = (path: string, content: string): Change => ({
  kind: "write",
  path,
  content: { text: content },
});

/** One change each, on files of every kind. */
const steps: readonly Change[] = [
  text("notes/a.md", "one\n"),
  { kind: "append", path: "notes/a.md", text: "two\n" },
  { kind: "append", path: "memory/2026-01-01.md", text: "- likes tea\n" },
  text("AGENTS.md", "Be brief.\n"),
  { kind: "edit", path: "AGENTS.md", edits: [{ oldText: "brief", newText: "kind" }] },
  { kind: "undo", path: "AGENTS.md" },
  { kind: "delete", path: "knowledge/turns.md" },
  { kind: "merge", path: "agents/scripted/sessions/sessions.json", patch: { version: 1 } },
  { kind: "append", path: "agents/scripted/sessions/s1.log.jsonl", text: "{}\n" },
  { kind: "move", path: "notes/a.md", to: "notes/b.md" },
  { kind: "write", path: "notes/raw.bin", content: { bytes: new Uint8Array([0, 255, 0]) } },
  { kind: "delete", path: "notes/raw.bin" },
];

/** Does every step until it is answered, then an import of one page. */
async function work(bucket: BucketKey): Promise<void> {
  for (const [no, change] of steps.entries())
    await ask(bucket, (api, key) =>
      api.change(key, { by: "user:ann", op: `step-${no}`, changes: [change] }),
    );
  const page = { no: 0, changes: [text("imported.md", "from elsewhere")] };
  await ask(bucket, (api, key) => api.stageImport(key, "i1", page));
  await ask(bucket, (api, key) => api.commitImport(key, "i1", "user:ann"));
}

/** Runs all steps while the object crashes at the `plan[0]`-th point, then at the `plan[1]`-th of what follows, … */
async function run(user: string, plan: readonly number[]) {
  const bucket = userBucket(user);
  const passed: string[][] = [[]];
  resetOutside().onPoint = (name, object) => {
    if (object !== bucket || name.startsWith("alarm")) return false;
    const points = passed.at(-1);
    points?.push(name);
    if (points?.length !== plan[passed.length - 1]) return false;
    passed.push([]);
    return true;
  };
  await work(bucket);
  const { versions } = await ask(bucket, (api, key) => api.history(key, "AGENTS.md"));
  return { passed, files: await filesOf(bucket), versions: versions.length };
}

describe("a bucket whose object crashes", { timeout: 120_000 }, () => {
  it("[W9, W11] at any point, once or twice, has every accepted change once", async () => {
    const calm = await run("calm", []);
    expect(calm.files["notes/b.md"]).toBe("own one\ntwo\n");
    expect(calm.files["AGENTS.md"]).toBe("own Be brief.\n");
    expect(calm.files["imported.md"]).toBe("own from elsewhere");
    expect(calm.files).not.toHaveProperty("knowledge/turns.md");
    const points = calm.passed[0]?.length ?? 0;
    const { passed: _, ...expected } = calm;
    const pairs: number[][] = [];
    for (let point = 1; point <= points; point++) {
      const { passed, ...seen } = await run(`once-${point}`, [point]);
      expect(seen, `crash at ${point}, ${passed[0]?.at(-1)}`).toEqual(expected);
      pairs.push(...(passed[1] ?? []).map((_name, at) => [point, at + 1]));
    }
    for (const plan of sample(pairs, PAIRS, seededRandom(3))) {
      const { passed, ...seen } = await run(`twice-${plan.join("-")}`, plan);
      expect(seen, `crashes at ${plan.join()}, ${passed[0]?.at(-1)}`).toEqual(expected);
    }
    expect(points).toBeGreaterThan(40);
    console.log(`workspace crash sweep: ${points} points, ${PAIRS} pairs`);
  });
});
