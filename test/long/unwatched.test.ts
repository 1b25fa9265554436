import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { readSessionFile } from "../support/session-file.ts";
import { type SlowProvider, startSlowProvider } from "../support/slow-provider.ts";

const SECONDS = 180;
const state = mkdtempSync(join(tmpdir(), "carrel-unwatched-"));
let provider: SlowProvider;
let server: DevServer;

beforeAll(async () => {
  const tokens = Array.from({ length: SECONDS }, (_, at) => `${at + 1} `);
  provider = await startSlowProvider({ tokens, everyMs: 1_000 });
  server = await startDevServer(state, {
    env: { MODEL: "openai-compatible:slow", OPENAI_COMPATIBLE_BASE_URL: provider.url },
  });
});

afterAll(async () => {
  await server.kill9();
  await provider.close();
  rmSync(state, { recursive: true, force: true });
});

describe("a turn of three minutes whose client leaves after two seconds", () => {
  it("[S3, R3] is answered whole, in one request, and leaves no alarm", async () => {
    const base = `${server.url}/v1/agents/main/sessions/unwatched`;
    const startedAt = performance.now();
    const leaving = new AbortController();
    const response = await fetch(`${base}/turns`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ message: "Take your time." }),
      signal: leaving.signal,
    });
    await wait(2_000);
    leaving.abort();
    await response.body?.cancel().catch(() => {});

    await provider.over(1);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect([provider.asked, provider.answered, provider.cut]).toEqual([1, 1, 0]);
    const page = (await (await fetch(base)).json()) as { messages: unknown[] };
    const text = Array.from({ length: SECONDS }, (_, at) => `${at + 1} `).join("");
    expect(page.messages.at(-1)).toMatchObject({
      state: "completed",
      parts: [{ type: "text", text }],
    });

    let alarms = 0;
    while (readSessionFile(state, "unwatched")?.alarm !== null && alarms++ < 60) await wait(1_000);
    const rows = readSessionFile(state, "unwatched");
    expect({ alarm: rows?.alarm, jobs: rows?.jobs }).toEqual({ alarm: null, jobs: [] });
    console.log(
      `unwatched: ${seconds.toFixed(1)} s, ${provider.asked} request, last alarm gone ${alarms} s after the end`,
    );
  });
});
