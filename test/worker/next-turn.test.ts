import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { callersWithKeys, say, type AskAs } from "./callers.ts";

const users = ["ann", "bob"] as const;
type User = (typeof users)[number];

/** What changes in every prompt: the session's id, of which each test has its own. */
let no = 0;
let ask: AskAs;

beforeEach(async () => {
  resetOutside();
  // The prompt names the day, and no test may run into the next one.
  vi.setSystemTime("2030-04-01T12:00:00Z");
  no += 1;
  ask = await callersWithKeys(users.map(named), ["root"]);
});

afterEach(() => {
  vi.useRealTimers();
});

const named = (user: string) => `${user}-${no}`;

/** The prompts that the model was given in one turn of this user. */
async function promptsOf(user: User, message = "Hello."): Promise<string[]> {
  const { requests } = outside().witness;
  const before = requests.length;
  await say(ask, { agent: "by-user", user: named(user), session: `s-${no}` }, message);
  return requests.slice(before).map(({ system }) => system);
}

async function promptOf(user: User): Promise<string> {
  const [prompt = ""] = await promptsOf(user);
  return prompt;
}

async function change(user: string, method: string, path: string, body?: string): Promise<void> {
  const init = body === undefined ? { method } : { method, body };
  const response = await ask(user, `/v1/agents/by-user/files/${path}`, init);
  expect(response.status).toBeLessThan(300);
}

describe("the prompt of a user's next turn", () => {
  it("[C2] has their new AGENTS.md, and nobody else's has", async () => {
    const first = { ann: await promptOf("ann"), bob: await promptOf("bob") };
    expect(first.ann).toBe(first.bob);
    expect(first.ann).toContain("Apr 1, 2030");
    await change(named("ann"), "PUT", "AGENTS.md", "You are a pirate. Say arr.\n");
    const second = { ann: await promptOf("ann"), bob: await promptOf("bob") };
    expect(second.ann).toContain("You are a pirate. Say arr.");
    expect(second.bob).toBe(first.bob);
    const restOf = (prompt: string) =>
      prompt.replace(/ *<agents_context>[^]*<\/agents_context>\n/, "");
    expect(restOf(second.ann)).toBe(restOf(first.ann));
  });

  it.each(["MEMORY.md", "knowledge/KNOWLEDGE.md"])(
    "[C2] has their new %s, and nobody else's has",
    async (path) => {
      const first = { ann: await promptOf("ann"), bob: await promptOf("bob") };
      await change(named("ann"), "PUT", path, "- Tea at four.\n");
      expect(await promptOf("ann")).toContain("- Tea at four.");
      expect(await promptOf("bob")).toBe(first.bob);
      await change(named("ann"), "PUT", path, "- Tea at five.\n");
      const third = await promptOf("ann");
      expect(third).toContain("- Tea at five.");
      expect(third).not.toContain("- Tea at four.");
    },
  );

  it("[C2] lists a knowledge file that is new, and no longer one that is gone", async () => {
    const first = await promptOf("ann");
    await change(named("ann"), "PUT", "knowledge/of-ann.md", "x");
    expect(await promptOf("ann")).toContain("knowledge/of-ann.md");
    await change(named("ann"), "DELETE", "knowledge/of-ann.md");
    expect(await promptOf("ann")).toBe(first);
  });

  it("[C2] is without a file that they deleted, and after a reset what it was before", async () => {
    const first = await promptOf("ann");
    const blank = "<agents_context></agents_context>";
    expect(first).not.toContain(blank);
    await change(named("ann"), "DELETE", "AGENTS.md");
    const second = await promptOf("ann");
    expect(second).toContain(blank);
    expect(await promptOf("bob")).toBe(first);
    await change(named("ann"), "DELETE", "AGENTS.md?reset");
    expect(await promptOf("ann")).toBe(first);
  });

  it("[C3] is byte for byte the last one's when nothing changed, in every step", async () => {
    await change(named("ann"), "PUT", "MEMORY.md", "- Likes tea.\n");
    const call = { name: "list_files", input: "{}" };
    const prompts = [
      ...(await promptsOf("ann", script({ calls: [call] }, { text: "Listed." }))),
      ...(await promptsOf("ann")),
      ...(await promptsOf("ann")),
    ];
    expect(prompts).toHaveLength(4);
    expect(new Set(prompts).size).toBe(1);
  });

  it("[C3] is what it was, also when what changed is in no prompt", async () => {
    const first = await promptOf("ann");
    await change(named("ann"), "PUT", "notes/a.md", "x");
    expect(await promptOf("ann")).toBe(first);
  });
});
