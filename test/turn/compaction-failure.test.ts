import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/shared/errors.ts";
import { CompactionLab, type Options } from "./compaction-lab.ts";
import { GOAL, talk } from "./compaction-talk.ts";

const small: Options = { window: 8_000, config: { reserved: 2_000, keepTokensMin: 500 } };
const long = "A sentence about nothing much. ".repeat(100);

const down = () => {
  throw new ModelError("model_auth", "The key is wrong.");
};

/** Turns of about 1,200 tokens each: five of them are too much. */
async function fill(talking: CompactionLab, turns: number): Promise<void> {
  for (let no = 0; no < turns; no++)
    await talking.say(`fill${talking.requests.length}`, `${no}: ${long}`);
}

const wordy: Options = { ...small, answer: () => ({ text: long }) };

describe("a summary that cannot be had", () => {
  it("[C6] changes nothing, is told once, and is not tried again until the context has grown", async () => {
    const talking = new CompactionLab({ ...wordy, summary: down });
    await talking.say("first", GOAL);
    await fill(talking, 5);
    await talking.say("small", "ok");
    expect(talking.hows).toBe("failed");
    expect(talking.facts[0]?.why).toBe("The key is wrong.");
    expect(talking.document.from).toBe(0);
    expect(talking.asked).toContain(`0: ${long}`);
    const tried = talking.summaries.length;
    talking.options = { ...talking.options, answer: () => ({ text: "Fine." }) };
    await talking.say("smaller", "ok");
    expect(talking.summaries).toHaveLength(tried);
    talking.lab.restart();
    await talking.say("again", "ok");
    expect(talking.summaries).toHaveLength(tried);
  });

  it("[C6] has the oldest left out as the last resort, which is recorded, with the goal kept", async () => {
    const talking = new CompactionLab({ ...wordy, summary: down });
    await talking.say("first", GOAL);
    await fill(talking, 30);
    expect(talking.overflows).toBe(0);
    expect(talking.violations).toEqual([]);
    expect(Math.max(...talking.sizes)).toBeLessThanOrEqual(8_000);
    expect(talking.hows).toMatch(/\bcut\b/);
    for (const { how, before, after, why } of talking.facts) {
      expect(why).toMatch(/key is wrong|takes no more/);
      if (how === "cut") expect(after.tokens).toBeLessThan(before.tokens);
    }
    expect(talking.asked).toContain(GOAL);
    expect(talking.asked).toContain("left out here");
  });

  it.each([
    ["empty", () => " \n"],
    ["longer than 16,000 characters", () => "s".repeat(16_001)],
    ["one that would free nothing", () => "sum ".repeat(3_900)],
  ])("[C6] because it is %s changes nothing and is not asked for each turn", async (_, summary) => {
    const talking = new CompactionLab({ ...wordy, summary });
    await fill(talking, 6);
    expect(talking.facts[0]).toMatchObject({ how: "failed" });
    expect(talking.facts[0]?.before).toEqual(talking.facts[0]?.after);
    talking.options = { ...talking.options, answer: () => ({ text: "Fine." }) };
    for (let no = 0; no < 30; no++) await talking.say(`small${no}`, "A few words more.");
    expect(talking.overflows).toBe(0);
    expect(talking.facts.length).toBeLessThanOrEqual(3);
    expect(talking.summaries.length).toBeLessThanOrEqual(5);
  });

  it("[C6] in its time is none, and the turn goes on", async () => {
    const never = () => new Promise<string>(() => {});
    const config = { ...small.config, triggerMessages: 0, summaryTimeoutMs: 60_000 };
    const talking = new CompactionLab({ ...wordy, config, summary: never });
    await fill(talking, 4);
    talking.lab.say("slow", long.repeat(3));
    await talking.lab.settle();
    await talking.lab.clock.pass(60_000);
    await talking.lab.clock.pass(60_000);
    expect(talking.lab.story("slow")).toMatch(/end:completed$/);
    expect(talking.facts.map(({ why }) => why)).toContain(
      "The summary took longer than 60 seconds.",
    );
  });

  it("[C6] is asked for again where a provider could not answer just then", async () => {
    let calls = 0;
    const talking = new CompactionLab({
      ...wordy,
      summary: () => {
        if (++calls === 1) throw new ModelError("rate_limited", "Slow down.");
        return "## SUMMARY\nNothing much.";
      },
    });
    await talking.say("first", GOAL);
    await fill(talking, 5);
    await talking.lab.clock.pass(10_000);
    await talking.say("more", long);
    expect(talking.hows).toBe("summary");
    expect(calls).toBeGreaterThan(1);
  });

  it("[C6] since the turn was stopped is no failure, and the model is not asked any more", async () => {
    let aborted = 0;
    const never = (_: unknown, signal: AbortSignal) => {
      signal.addEventListener("abort", () => (aborted += 1));
      return new Promise<string>(() => {});
    };
    const config = { ...small.config, triggerMessages: 0 };
    const talking = new CompactionLab({ ...wordy, config });
    await fill(talking, 4);
    talking.options = { ...talking.options, summary: never };
    talking.lab.say("big", long.repeat(3));
    await talking.lab.settle();
    expect(talking.summaries).toHaveLength(1);
    const asked = talking.requests.length;
    talking.options = { ...talking.options, summary: () => "## SUMMARY\nNothing." };
    expect(talking.lab.session.stop()).toMatchObject({ state: "stopped" });
    expect(aborted).toBe(1);
    await talking.lab.clock.pass(300_000);
    expect(talking.requests).toHaveLength(asked);
    expect(talking.facts).toEqual([]);
    expect(talking.lab.story("big")).toMatch(/end:stopped$/);
    await talking.say("next", "And now?");
    expect(talking.lab.story("next")).toMatch(/end:completed$/);
  });

  it("[C6] while nobody waits is written beside the next turns, and only one of them begins with it", async () => {
    const written: ((text: string) => void)[] = [];
    const summary = () => new Promise<string>((resolve) => written.push(resolve));
    const talking = await talk(60, {
      ...small,
      config: { ...small.config, triggerTokens: 7_000 },
      summary,
    });
    expect(talking.summaries).toHaveLength(1);
    expect(talking.facts).toEqual([]);
    written[0]?.("## SUMMARY\nWritten late.");
    await talking.lab.settle();
    expect(talking.facts).toEqual([]);
    // It is kept for the next object too.
    talking.lab.restart();
    await talking.say("next", "And now?");
    expect(talking.hows).toBe("summary");
    expect(talking.asked).toContain("Written late.");
    expect(talking.lab.story("next")).toBe("user step:stop end:completed");
  });
});
