import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { callersWithKeys, type AskAs, type Speaker } from "./callers.ts";
import { filesOf, promptOf } from "./scope-lab.ts";

const AGE_MS = 30_000;
const speakers: readonly Speaker[] = ["by-user", "by-session"].flatMap((agent) =>
  ["ann", "bob"].map((user) => ({ agent, user, session: "s1" })),
);

let ask: AskAs;

beforeAll(async () => {
  ask = await callersWithKeys(["ann", "bob", "cat", "dan"], ["root"]);
});

beforeEach(() => {
  resetOutside();
  vi.spyOn(console, "info").mockImplementation(() => {});
});

afterEach(() => {
  vi.useRealTimers();
});

/** What an admin does to a file of the agent's shared layer. */
async function changeShared(agent: string, path: string, body: string | null): Promise<void> {
  const init = body === null ? { method: "DELETE" } : { method: "PUT", body };
  const response = await ask("root", `/v1/agents/${agent}/files/${path}?layer=shared`, init);
  expect(response.status).toBeLessThan(300);
}

async function read(speaker: Speaker, path: string): Promise<string | null> {
  const response = await ask(speaker.user, filesOf(speaker, path));
  const text = await response.text();
  return response.ok ? text : null;
}

async function changeOwn(speaker: Speaker, path: string, query: string, init: RequestInit) {
  const response = await ask(speaker.user, filesOf(speaker, path, query), init);
  expect(response.status).toBeLessThan(300);
}

const sayings = ["Say ahoy.\n", "Say aloha.\n"] as const;

describe("a change of the shared layer", () => {
  it("[C2, W4] with the age 0 is in everybody's files and next prompt, except where they have their own", async () => {
    outside().variables = { SHARED_AGE_MS: "0" };
    for (const speaker of speakers) {
      const { agent } = speaker;
      const template = await promptOf(ask, speaker);
      for (const saying of sayings) {
        await changeShared(agent, "AGENTS.md", saying);
        expect(await read(speaker, "AGENTS.md")).toBe(saying);
        expect(await promptOf(ask, speaker)).toContain(saying.trim());
      }
      await changeOwn(speaker, "AGENTS.md", "", { method: "PUT", body: "Say moin.\n" });
      await changeShared(agent, "AGENTS.md", "Say hey.\n");
      const own = await promptOf(ask, speaker);
      expect(own).toContain("Say moin.");
      expect(own).not.toContain("Say hey.");
      await changeOwn(speaker, "AGENTS.md", "&reset", { method: "DELETE" });
      expect(await promptOf(ask, speaker)).toContain("Say hey.");
      await changeShared(agent, "AGENTS.md", null);
      expect(await read(speaker, "AGENTS.md")).toBeNull();
      await ask("root", `/v1/agents/${agent}/files/AGENTS.md?layer=shared&reset`, {
        method: "DELETE",
      });
      expect(await promptOf(ask, speaker)).toBe(template);
    }
  });

  it("[C2] by default is there after 30 seconds, and what one has read stays until then", async () => {
    const cat = { agent: "by-user", user: "cat", session: "s1" };
    const dan = { agent: "by-user", user: "dan", session: "s1" };
    const from = Date.parse("2030-04-01T12:00:00Z");
    vi.setSystemTime(from);
    await changeShared("by-user", "rules.md", "one");
    expect(await read(cat, "rules.md")).toBe("one");
    await changeShared("by-user", "rules.md", "two");
    vi.setSystemTime(from + AGE_MS - 1);
    expect(await read(dan, "rules.md")).toBe("two");
    expect(await read(cat, "rules.md")).toBe("one");
    vi.setSystemTime(from + AGE_MS);
    expect(await read(cat, "rules.md")).toBe("two");
  });

  it("[I1] of one agent reaches no user of another", async () => {
    await changeShared("by-user", "only-here.md", "x");
    const ann = { agent: "by-user-2", user: "ann", session: "s1" };
    expect(await read(ann, "only-here.md")).toBeNull();
  });

  it("[I1] is never memory or a record: those of the shared layer show to nobody", async () => {
    outside().variables = { SHARED_AGE_MS: "0" };
    await changeShared("by-user-2", "MEMORY.md", "- secret of root\n");
    const dan = { agent: "by-user-2", user: "dan", session: "s1" };
    expect(await read(dan, "MEMORY.md")).toBeNull();
    expect(await promptOf(ask, dan)).not.toContain("secret of root");
  });
});
