import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { root } from "../support/source.ts";

const PATIENCE = { timeout: 30_000, interval: 20 };

let state = "";
let server: ChildProcess | null = null;
let said = "";

/** Starts what `npm start` runs, on any free port; gives the address it tells. */
async function start(): Promise<string> {
  said = "";
  const args = ["scripts/dev.mjs", "--port", "0", "--inspector-port", "0", "--persist-to", state];
  server = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (text) => (said += String(text)));
  return vi.waitFor(() => {
    const url = /Carrel is ready: open (http:\/\/localhost:\d+)/.exec(said)?.[1];
    if (!url) throw new Error(`not ready; it said: ${said}`);
    return url;
  }, PATIENCE);
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "carrel-start-"));
});

afterEach(() => {
  server?.kill("SIGKILL");
  rmSync(state, { recursive: true, force: true });
});

describe("npm start", () => {
  it("tells the address where it answers, and a command to try", async () => {
    const url = await start();
    expect(await answers(url)).toBe(true);
    expect(said).toContain(`curl -N ${url}/v1/agents/main/sessions/s1/turns`);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("leaves nothing running after %s", async (signal) => {
    const url = await start();
    server?.kill(signal);
    await vi.waitFor(async () => expect(await answers(url)).toBe(false), PATIENCE);
  });
});
