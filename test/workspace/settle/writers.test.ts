import { describe, expect, it } from "vitest";
import { applyChanges } from "../../../src/workspace/change/change.ts";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import { faultyStore } from "../../support/faulty-store.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { runOut, settledBucket, type SettledBucket } from "../../support/settled-bucket.ts";

const WRITERS = 16;
const APPENDS = 100;
const ROUNDS = 20;
const PATHS = ["memory/2026-01-01.md", "agents/main/sessions/s.log.jsonl"];

/** Appends to both files in turn, each line twice under one operation, as after a lost reply. */
async function write(bucket: SettledBucket, clock: HastyClock, writer: number): Promise<void> {
  for (let number = 0; number < APPENDS; number += 1) {
    const path = PATHS[number % PATHS.length] ?? "";
    const text = `${writer} ${number} ${"x".repeat(200)}\n`;
    const request = { by: `job:${writer}`, changes: [{ kind: "append", path, text }] } as const;
    const op = `${writer}-${number}`;
    await applyChanges(bucket, { ...request, op });
    await applyChanges(bucket, { ...request, op });
    await clock.sleep(700);
  }
}

async function textOf(bucket: SettledBucket, path: string): Promise<string> {
  const row = bucket.rows.files.get(at(path));
  const content = row ? await bucket.contents.read(row) : null;
  return content && "text" in content ? content.text : "";
}

describe("many writers", () => {
  it("[W9] [W10] [W11] 16 × 100 appends × 20 rounds over a store with all faults: all there, once, in each one's order", async () => {
    let lines = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const clock = new HastyClock();
      const inner = createMemoryStore();
      const faults = ["busy", "unavailable", "slow", "lost-reply", "late"] as const;
      const store = faultyStore(inner, clock, round, ...faults);
      const bucket = settledBucket({ store, clock });
      let isWriting = true;
      const settling = (async () => {
        while (isWriting) {
          await bucket.settler.run();
          await clock.sleep(1_000);
        }
      })();
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(bucket, clock, writer));
      await Promise.all(writers);
      isWriting = false;
      await settling;
      await runOut(bucket.settler, clock);
      await store.quiet();
      await runOut(bucket.settler, clock);
      const rebuilt = settledBucket({ store: inner, clock });
      await rebuild(rebuilt);
      const calm = settledBucket({ store: inner, clock, sql: bucket.rows.sql });
      const next = Array.from({ length: WRITERS }, () => new Map<string, number>());
      for (const [turn, path] of PATHS.entries()) {
        const text = await textOf(calm, path);
        expect(await textOf(rebuilt, path)).toBe(text);
        for (const line of text.split("\n").slice(0, -1)) {
          const [writer = 0, number = 0] = line.split(" ").map(Number);
          const expected = next[writer]?.get(path) ?? turn;
          expect(number).toBe(expected);
          next[writer]?.set(path, expected + PATHS.length);
          lines += 1;
        }
      }
    }
    expect(lines).toBe(ROUNDS * WRITERS * APPENDS);
  });
});
