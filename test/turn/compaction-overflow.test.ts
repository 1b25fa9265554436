import { describe, expect, it } from "vitest";
import type { Harness } from "../../src/turn/harness.ts";
import { nodeWorkspace } from "../support/node-workspace.ts";
import { atRest } from "./at-rest.ts";
import { CompactionLab, type Options, textsOf } from "./compaction-lab.ts";

const paste = Array.from({ length: 12_000 }, (_, no) => `Line ${no}: some of the paste.`)
  .join("\n")
  .slice(0, 300_000);

function over(options: Options) {
  const workspace = nodeWorkspace({});
  const harness: Partial<Harness> = { workspace: () => workspace };
  const talking = new CompactionLab({ ...options, harness: { ...harness, ...options.harness } });
  const say = async (key: string, text: string) => {
    talking.lab.say(key, text);
    await atRest(talking.lab);
  };
  return { talking, workspace, say };
}

describe("a message that the model does not take", () => {
  it("[C7] of 300,000 characters, refused in mid-stream with three messages, is asked again as one message and its file", async () => {
    const { talking, workspace, say } = over({ window: 40_000, isSilent: true, partial: "Let me" });
    await say("a", "Hello.");
    await say("b", paste);
    expect(talking.lab.story("b")).toMatch(/^user reset:\d+ shortened step:stop end:completed$/);
    expect(talking.overflows).toBe(1);
    expect(talking.violations).toEqual([]);
    expect(talking.summaries).toEqual([]);
    const { messages } = talking.requests.at(-1) ?? { messages: [] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const text = textsOf(messages.slice(-1));
    const path = /path="(large_tool_results\/s1\/message-\d+-[0-9a-f]{16}\.txt)"/.exec(text)?.[1];
    expect(await workspace.text(path ?? "")).toBe(paste);
    expect(text).toContain("300,000 characters");
    expect(text).toContain(paste.slice(0, 2_000));
    expect(text).toContain(paste.slice(-2_000));
    expect(text.length).toBeLessThan(4_500);
    // People still see all of it, once, and one answer.
    const { messages: shown } = talking.lab.session.history({ limit: 10 });
    expect(JSON.stringify(shown).split("Line 11,").length).toBeLessThanOrEqual(2);
    expect(shown.at(-2)).toMatchObject({ content: [{ text: paste }] });
    expect(shown.at(-1)).toMatchObject({ parts: [{ type: "text", text: "Yes." }] });
  });

  it("[C7] is written to its file before the first call where the model says how much it takes", async () => {
    const { talking, say } = over({ window: 40_000 });
    await say("a", paste);
    await say("b", "And now?");
    expect(talking.overflows).toBe(0);
    expect(talking.lab.story("a")).toBe("user shortened step:stop end:completed");
    expect(talking.requests).toHaveLength(2);
    expect(talking.asked).toContain("300,000 characters");
  });

  it("[C7] is asked about with its ends where no file can be written", async () => {
    const talking = new CompactionLab({ window: 40_000 });
    await talking.say("a", paste);
    await atRest(talking.lab);
    expect(talking.lab.story("a")).toBe("user shortened step:stop end:completed");
    expect(talking.asked).toContain("The rest is left out.");
    expect(talking.lab.log.join()).toContain("shortening_failed");
  });

  it("[C7] because many came before it is asked about with half of them, and a smaller window is remembered", async () => {
    const { talking, say } = over({ window: 6_000, isSilent: true, partial: "Half" });
    const long = "A sentence about nothing much. ".repeat(60);
    for (let no = 0; no < 24; no++) await say(`t${no}`, `${no}: ${long}`);
    expect(talking.violations).toEqual([]);
    expect(talking.lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(24);
    expect(talking.lab.story()).not.toContain("end:context_overflow");
    // Having learnt it once, it never runs into it again.
    expect(talking.overflows).toBe(1);
    expect(talking.hows).toMatch(/^summary( summary)*$/);
    const { learned } = talking.document;
    expect(learned).toMatchObject({ model: "counting" });
    expect(learned?.tokens).toBeLessThan(6_500);
    talking.lab.restart();
    await say("more", long);
    expect(talking.overflows).toBe(1);
  });

  it("[C7] twice in one step fails its turn with the provider's words, and the next turn goes on", async () => {
    const { talking, say } = over({ window: 100, isSilent: true });
    await say("a", `${"word ".repeat(400)}`);
    expect(talking.overflows).toBeLessThanOrEqual(2);
    expect(talking.lab.story("a")).toMatch(/end:context_overflow$/);
    const end = talking.lab.entries("a").at(-1);
    expect(end).toMatchObject({ error: { message: "The prompt is too long for this model." } });
  });

  it("[C7] is recovered without a summary where those are switched off", async () => {
    const { talking, say } = over({ window: 9_000, config: null });
    const long = "A sentence about nothing much. ".repeat(60);
    for (let no = 0; no < 24; no++) await say(`t${no}`, `${no}: ${long}`);
    expect(talking.overflows).toBe(0);
    expect(talking.summaries).toEqual([]);
    expect(talking.hows).toMatch(/^cut( cut)*$/);
    expect(talking.facts[0]?.why).toBe("The model takes no more.");
    expect(talking.asked).toContain("0: A sentence");
  });
});
