import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { type SlowProvider, startSlowProvider } from "../support/slow-provider.ts";

const state = mkdtempSync(join(tmpdir(), "carrel-stop-"));
let provider: SlowProvider;
let server: DevServer;

beforeAll(async () => {
  const tokens = Array.from({ length: 2_000 }, (_, at) => `word ${at} `);
  provider = await startSlowProvider({ tokens, everyMs: 20 });
  server = await startDevServer(state, {
    env: { MODEL: "openai-compatible:slow", OPENAI_COMPATIBLE_BASE_URL: provider.url },
  });
});

afterAll(async () => {
  await server.kill9();
  await provider.close();
  rmSync(state, { recursive: true, force: true });
});

const clientOf = (session: string) =>
  new FaithfulClient({
    fetch: (url, init) => fetch(url, init),
    base: `${server.url}/v1/agents/main/sessions/${session}`,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    patience: 10,
  });

describe("a provider that streams over HTTP", () => {
  it("[T9] sees its connection closed when the turn is stopped", async () => {
    const client = clientOf("stopped");
    const stops: Promise<void>[] = [];
    let said = "";
    await client.talk("t1", { message: "Tell me everything." }, (event) => {
      if (event.type === "text") said += event.text;
      if (said.includes("word 5 ") && stops.length === 0) stops.push(client.stop());
    });
    await Promise.all(stops);
    await provider.over(1);
    expect([provider.asked, provider.answered, provider.cut]).toEqual([1, 0, 1]);
    const answer = (await client.history()).at(-1);
    expect(answer).toMatchObject({ state: "stopped", parts: [{ type: "text" }] });
    const part = answer?.role === "assistant" ? answer.parts[0] : undefined;
    expect(part?.type === "text" && part.text).toContain(
      "word 0 word 1 word 2 word 3 word 4 word 5",
    );
    expect(client.streams[0]?.at(-1)?.event).toMatchObject({ type: "turn-end" });
  });
});
