import { describe, expect, it } from "vitest";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import type { IsolationScope } from "../../../src/workspace/workspace.ts";
import { toolContext } from "../../support/tool-context.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";
import { logLine } from "./desk.ts";

const tools = createMemoryTools({
  memoryOf: () => ({ forget: async () => ({ entries: 0, paths: [], said: [], hidden: 0 }) }),
  canForget: true,
});
const WORD = "canaryword";

/** Somebody who said and saved a word of their own, and whoever asks all tools about everything. */
class Users {
  readonly #lab = new WorkspaceLab();
  readonly #scope: IsolationScope;

  constructor(scope: IsolationScope) {
    this.#scope = scope;
  }

  async use(user: string, name: string, input: unknown): Promise<string> {
    const session = `of-${user}`;
    const address = { agent: "main", user, session };
    const tool = tools.find((candidate) => candidate.name === name);
    const output = tool?.prepare(input).run(
      toolContext({
        address,
        author: `agent:main/${session}`,
        op: `${user}/${name}`,
        workspace: this.#lab.workspace(address, this.#scope),
      }),
    );
    return output?.then(String, (error: Error) => error.message) ?? "";
  }

  async say(user: string): Promise<void> {
    const workspace = this.#lab.workspace({ user }, this.#scope);
    const sessions = "agents/main/sessions";
    const title = { summary: WORD, updatedAt: "2026-11-30T00:00:00.000Z" };
    const patch = { version: 1, sessions: { [`of-${user}`]: title } };
    await workspace.change({
      by: "job:session-log",
      changes: [
        { kind: "append", path: `${sessions}/of-${user}.log.jsonl`, text: logLine("user", WORD) },
        { kind: "merge", path: `${sessions}/sessions.json`, patch },
      ],
    });
  }

  /** The tools that show somebody something of ann's session and of what she saved. */
  async seenBy(user: string): Promise<string[]> {
    const page = { startLine: 1, endLine: 9 };
    const log = "agents/main/sessions/of-ann.log.jsonl";
    const asked: [string, object][] = [
      ["memory_get", { path: "MEMORY.md", ...page }],
      ["memory_get", { path: "memory/1970-01-01.md", ...page }],
      ["memory_get", { path: log, ...page }],
      ["session_list", {}],
      ["session_history", { sessionId: "of-ann" }],
      ["memory_forget", { entries: ["canary word"] }],
    ];
    const shown = asked.map(async ([name, input]) => [name, await this.use(user, name, input)]);
    return (await Promise.all(shown)).flatMap(([name, text]) =>
      text?.includes(WORD) ? (name ?? "") : [],
    );
  }
}

async function usersOf(scope: IsolationScope): Promise<Users> {
  const users = new Users(scope);
  await users.say("ann");
  await users.use("ann", "memory_save", { content: `- ${WORD}` });
  return users;
}

const MEMORY = ["memory_get", "memory_get", "memory_forget"];
const SESSIONS = ["memory_get", "session_list", "session_history"];

describe("what the memory tools show of somebody else", () => {
  it.each(["USER", "SESSION"] as const)("[I1] is nothing under the scope %s", async (scope) => {
    const users = await usersOf(scope);
    expect(await users.seenBy("bob")).toEqual([]);
    expect((await users.seenBy("ann")).toSorted()).toEqual([...MEMORY, ...SESSIONS].toSorted());
  });

  it("[I1] is what they share, and never a conversation or who it was", async () => {
    const users = await usersOf("AGENT");
    expect(await users.seenBy("bob")).toEqual(MEMORY);
    const first = { path: "MEMORY.md", startLine: 1, endLine: 1 };
    expect(await users.use("bob", "memory_get", first)).toBe(`1|- ${WORD}`);
  });
});
