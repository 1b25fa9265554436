import { describe, expect, it } from "vitest";
import { Registry } from "../../src/maintenance/registry.ts";
import { defaultPermissions } from "../../src/permissions/config.ts";
import { createBudget, type Ledger } from "../../src/turn/budget.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { quiet } from "./after-turn-lab.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

const DAY_MS = 86_400_000;

/** The tokens of everybody, counted where the registry counts them. */
class Tokens {
  readonly registry = new Registry(nodeSql(openDatabase()));
  asked = 0;
  /** Turns that were told of, as often as they were. */
  readonly told: string[] = [];
  isDown = false;
  /** Awaited when something was counted. */
  counted: () => Promise<void> = () => Promise.resolve();
  readonly ledger: Ledger = {
    spent: async (user, day) => {
      this.asked++;
      if (this.isDown) throw new Error("connection lost");
      return this.registry.spent(user, day);
    },
    record: async (user, day, spent) => {
      this.told.push(...spent.map(({ id }) => id.at(-1) ?? ""));
      this.registry.recordSpent(user, day, spent);
      await this.counted();
    },
  };

  lab(dailyTokens: number, options: LabOptions = {}, session = "s1", user = "ann"): SessionLab {
    const budget = createBudget(dailyTokens, this.ledger);
    const capabilities = [budget, ...(options.capabilities ?? [])];
    return new SessionLab({ ...options, capabilities }, { agent: "main", user, session });
  }

  on(day: string, user = "ann"): number {
    return this.registry.spent(user, day);
  }
}

/** A turn that has been counted. */
async function say(lab: SessionLab, key: string): Promise<string> {
  lab.say(key, "hi");
  await quiet(lab);
  return lab.story(key);
}

/** Failed before the model was asked: the first step was only announced. */
const failed = (code: string) => expect.stringMatching(`^user reset:\\d+ end:${code}$`) as unknown;
const OVER = failed("daily_budget");
const DONE = "user step:stop end:completed";

describe("a daily budget", () => {
  it("lets turns begin until it is used up, and says how much was used and when it begins anew", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000);
    expect(await say(lab, "a")).toBe(DONE);
    const used = tokens.on("1970-01-01");
    expect(used).toBeGreaterThan(0);
    tokens.registry.recordSpent("ann", "1970-01-01", [{ id: "x", tokens: 999 - used }]);
    expect(await say(lab, "b")).toBe(DONE);
    expect(await say(lab, "c")).toEqual(OVER);
    expect(lab.entries("c").at(-1)).toMatchObject({
      outcome: "failed",
      error: {
        message: `You have used ${999 + used} of 1000 tokens today. It begins anew at 00:00 UTC.`,
      },
    });
    expect(lab.witness.requests).toHaveLength(2);
    expect(tokens.on("1970-01-01")).toBe(999 + used);
  });

  it("begins anew with the next day, and counts a turn on the day of its end", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000);
    tokens.registry.recordSpent("ann", "1970-01-01", [{ id: "x", tokens: 1_000 }]);
    await lab.clock.pass(DAY_MS - 2_000);
    expect(await say(lab, "a")).toEqual(OVER);
    await lab.clock.pass(1_000);
    expect(await say(lab, "b")).toBe(DONE);
    expect(tokens.on("1970-01-01")).toBe(1_000);
    expect(tokens.on("1970-01-02")).toBeGreaterThan(0);
  });

  it("counts each turn once, though its job comes again, with others or after a crash", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000);
    tokens.counted = () => Promise.reject(new Error("the answer was lost"));
    await say(lab, "a");
    lab.say("b", "hi");
    await lab.settle();
    await lab.fireAlarm();
    tokens.counted = () => new Promise(() => {});
    await lab.clock.pass(10_000);
    void lab.session.alarm();
    await lab.settle();
    lab.restart();
    tokens.counted = () => Promise.resolve();
    lab.alarm ??= lab.clock.now();
    while (await lab.fireAlarm());
    expect(tokens.told.join("")).toMatch(/^a+ab.*ab$/);
    const used = lab.entries().reduce((sum, entry) => {
      return entry.kind === "end" ? sum + entry.usage.input + entry.usage.output : sum;
    }, 0);
    expect(tokens.on("1970-01-01")).toBe(used);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("is one for all sessions of a user, though their turns have the same names", async () => {
    const tokens = new Tokens();
    const labs = ["s1", "s2"].map((session) => tokens.lab(1_000, {}, session));
    for (const lab of labs) expect(await say(lab, "a")).toBe(DONE);
    const each = tokens.on("1970-01-01") / 2;
    expect(Number.isInteger(each)).toBe(true);
    tokens.registry.recordSpent("ann", "1970-01-01", [{ id: "x", tokens: 1_000 }]);
    for (const lab of labs) expect(await say(lab, "b")).toEqual(OVER);
  });

  it("[I1] is not touched by what another user used", async () => {
    const tokens = new Tokens();
    tokens.registry.recordSpent("bob", "1970-01-01", [{ id: "x", tokens: 1_000 }]);
    expect(await say(tokens.lab(1_000), "a")).toBe(DONE);
    expect(await say(tokens.lab(1_000, {}, "s1", "bob"), "a")).toEqual(OVER);
    expect(tokens.on("1970-01-01", "bob")).toBe(1_000);
  });

  it("that cannot be looked up fails the turn before the model is asked, and says so", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000);
    tokens.isDown = true;
    expect(await say(lab, "a")).toEqual(failed("overloaded"));
    expect(lab.witness.requests).toEqual([]);
    expect(lab.entries("a").at(-1)).toMatchObject({
      error: { message: expect.stringContaining("could not be looked up") },
    });
    tokens.isDown = false;
    expect(await say(lab, "b")).toBe(DONE);
  });

  it("breaks off no turn that runs, and is asked once a turn", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000);
    const calls = [{ name: "unsafe_thing", input: "{}" }];
    lab.pause = async () => {
      tokens.registry.recordSpent("ann", "1970-01-01", [{ id: "x", tokens: 1_000 }]);
    };
    lab.say("a", [{ calls }, { text: "done" }]);
    await quiet(lab);
    expect(lab.story("a")).toMatch(/end:completed$/);
    expect(tokens.asked).toBe(1);
  });

  it("is asked again when a turn goes on that waited: an approved call does not run beyond it", async () => {
    const tokens = new Tokens();
    const lab = tokens.lab(1_000, { permissions: defaultPermissions });
    lab.say("a", [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "done" }]);
    while (lab.session.current()?.state !== "waiting") await lab.settle();
    const { pending } = lab.session.history({ limit: 1 }).status;
    tokens.registry.recordSpent("ann", "1970-01-01", [{ id: "x", tokens: 1_000 }]);
    const approvals = pending.map(({ call, digest }) => {
      return { kind: "approve", call, digest } as const;
    });
    expect(approvals).toHaveLength(1);
    await lab.session.answer(approvals, "ann");
    while (lab.session.current() !== null) await lab.settle();
    expect(lab.story("a")).toMatch(/ end:daily_budget$/);
    expect(lab.effects.runs).toEqual([]);
    expect(tokens.asked).toBe(2);
  });
});
