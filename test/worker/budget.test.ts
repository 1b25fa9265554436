import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/bindings.ts";
import type { Env } from "../../src/env.ts";
import { resetOutside } from "../support/outside.ts";
import { breathe, clientOf, tablesOf } from "./session-object.ts";

const ledger = ledgerOf(env as unknown as Env);
/** Today and tomorrow, as it may be midnight. */
const days = [0, 86_400_000].map((more) => new Date(Date.now() + more).toISOString().slice(0, 10));

async function spent(): Promise<number> {
  const each = await Promise.all(days.map((day) => ledger.spent("local", day)));
  return each.reduce((sum, tokens) => sum + tokens, 0);
}

beforeEach(() => {
  resetOutside().pause = breathe;
});

describe("an agent with a daily budget", () => {
  it("counts what its sessions use in the registry, and begins no turn beyond", async () => {
    const session = "of-today";
    const first = clientOf(session, "budgeted");
    await first.talk("t1", { message: "Hello." });
    expect(await endOf(session, "budgeted")).toMatchObject({ outcome: "completed" });
    while ((await spent()) === 0) await breathe();
    const used = await spent();
    for (const day of days) await ledger.record("local", day, [{ id: "others", tokens: 1_000 }]);
    expect(await spent()).toBe(used + 2_000);
    const second = clientOf("another", "budgeted");
    await second.talk("t1", { message: "Hello." });
    expect(await endOf("another", "budgeted")).toMatchObject({
      outcome: "failed",
      error: { code: "daily_budget" },
    });
    const unbounded = clientOf("third");
    await unbounded.talk("t1", { message: "Hello." });
    expect(await endOf("third", "scripted")).toMatchObject({ outcome: "completed" });
  });
});

async function endOf(session: string, agent: string) {
  const { journal } = await tablesOf(session, agent);
  return journal.findLast(({ kind }) => kind === "end");
}
