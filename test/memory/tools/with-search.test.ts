import { describe, expect, it } from "vitest";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import { nodeWorkspace } from "../../support/node-workspace.ts";
import { toolContext } from "../../support/tool-context.ts";
import { logLine } from "./desk.ts";

const AT = Date.UTC(2026, 10, 30, 12);
const LOG = "agents/main/sessions/s7.log.jsonl";

const tools = createMemoryTools({
  memoryOf: () => ({ forget: async () => ({ entries: 0, paths: [], said: [], hidden: 0 }) }),
  canForget: true,
});

/** The tools over a real workspace with its real search. */
function deskOver(files: Record<string, string> = {}) {
  const workspace = nodeWorkspace(files);
  let calls = 0;
  const use = async (name: string, input: unknown): Promise<string> => {
    const tool = tools.find((candidate) => candidate.name === name);
    const context = toolContext({ workspace, op: `s/${++calls}`, now: () => AT });
    const output = await tool?.prepare(input).run(context);
    return typeof output === "string" ? output : "";
  };
  return { workspace, use };
}

describe("the memory tools with the bucket's search", () => {
  it("[W2] [W3] find at once what was just saved, where memory_get opens it", async () => {
    const { use } = deskOver();
    await use("memory_save", { content: "- Ann prefers night trains to Vienna." });
    const found = await use("memory_search", { query: "train Vienna" });
    expect(found).toMatch(/^Found 2 matches\n/);
    const places = [...found.matchAll(/^Source: (\S+)#(\d+): /gm)];
    expect(places.map(([, path]) => path).toSorted()).toEqual([
      "MEMORY.md",
      "memory/2026-11-30.md",
    ]);
    expect(found).toContain("2026-11-30)");
    expect(found).not.toContain("<!--");
    for (const [, path, line] of places) {
      const lines = { path, startLine: Number(line), endLine: Number(line) };
      expect(await use("memory_get", lines)).toBe(`${line}|- Ann prefers night trains to Vienna.`);
    }
  });

  it("[M8] find what knowledge says and what was said, each with its place", async () => {
    const { workspace, use } = deskOver({
      "knowledge/trains.md": "# Trains\n\nNight trains leave at ten.\n",
    });
    const lines = [
      logLine("user", "Which night train is best?", AT),
      logLine("step", "The one to Vienna.", AT),
    ];
    await workspace.put(LOG, lines.join(""));
    const found = await use("memory_search", { query: "night train" });
    expect(found).toMatch(/^Source: knowledge\/trains\.md#\d: .*Night trains leave at ten\./m);
    expect(found).toContain(`Source: ${LOG}#1: [USER] Which night train is best? (`);
    expect(await use("memory_get", { path: LOG, startLine: 1, endLine: 1 })).toBe(
      "1|[USER]: Which night train is best?",
    );
    const [, row] = (await use("session_search", { query: "night train" })).split("\n");
    expect(row).toBe(`[${LOG}#1] s7 t1 2026-11-30 - [USER]: Which night train is best?`);
    expect(await use("session_search", { query: "train", agentId: "other" })).toMatch(
      /^No messages/,
    );
    expect(await use("memory_search", { query: "zeppelin" })).toBe(
      "No matching memories found for: zeppelin",
    );
  });
});
