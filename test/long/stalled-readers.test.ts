import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { workerdMemory } from "../support/processes.ts";
import { type SlowProvider, startSlowProvider } from "../support/slow-provider.ts";

const READERS = 40;
/** 25 answers of 480,000 characters: a log of 12 MB. */
const ANSWERS = 25;
const ANSWER = Array.from({ length: 240 }, () =>
  "twenty characters, so ".repeat(91).slice(0, 2_000),
);

const state = mkdtempSync(join(tmpdir(), "carrel-stalled-"));
let provider: SlowProvider;
let server: DevServer;
let client: FaithfulClient;

beforeAll(async () => {
  provider = await startSlowProvider({ tokens: ANSWER, everyMs: 0 });
  server = await startDevServer(state, {
    env: { MODEL: "openai-compatible:long", OPENAI_COMPATIBLE_BASE_URL: provider.url },
  });
  client = new FaithfulClient({
    fetch: (url, init) => fetch(url, init),
    base: `${server.url}/v1/agents/main/sessions/long`,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    patience: 3,
  });
  for (let turn = 0; turn < ANSWERS; turn++)
    await client.talk(`t${turn}`, { message: `Part ${turn}, please.` });
});

afterAll(async () => {
  await server.kill9();
  await provider.close();
  rmSync(state, { recursive: true, force: true });
});

/** A reader of the whole log that takes the head of the answer and nothing else. */
const stall = () =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${server.url}/v1/agents/main/sessions/long/events?after=0.0`;
    request(url, { agent: false }, (response) => resolve(response.pause()))
      .once("error", reject)
      .end();
  });

const total = (memory: Map<number, number>) => [...memory.values()].reduce((a, b) => a + b, 0);

async function timed(key: string): Promise<number> {
  const at = performance.now();
  await client.talk(key, { message: `And ${key}.` });
  return performance.now() - at;
}

describe("forty readers that stop reading a log of 12 MB", () => {
  it("[S3] cost the runtime at most 80 MB, and a turn of the session nothing", async () => {
    const alone = await timed("alone");
    // What reading leaves to the garbage collector is no cost of readers that stop: have it there before.
    for (let reads = 0; reads < READERS; reads++) await client.replay(ANSWERS);
    const before = workerdMemory(state);
    const readers = await Promise.all(Array.from({ length: READERS }, stall));
    await wait(5_000);
    const after = workerdMemory(state);
    const beside = await timed("beside");
    for (const reader of readers) reader.destroy();
    const grown = [...after].map(([pid, mb]) => Math.round(mb - (before.get(pid) ?? 0)));
    console.log(
      `stalled readers: workerd ${Math.round(total(before))} -> ${Math.round(total(after))} MB (by process: ${grown.join(", ")}); a turn ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside them`,
    );
    expect(total(after) - total(before)).toBeLessThanOrEqual(80);
    expect(beside).toBeLessThan(2 * alone + 1_000);
  });
});
