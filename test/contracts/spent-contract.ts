import { expect, it } from "vitest";
import type { RegistryApi } from "../../src/shared/registry-api.ts";

const DAY = "2026-11-30";
const turn = (id: string, tokens: number) => ({ id, tokens });

/** What every shard of the registry does with the tokens that are used. `open` gives one that is empty. */
export function spentContract(open: () => Promise<RegistryApi>): void {
  it("adds up a user's tokens of a day, each turn once, however it comes again", async () => {
    const registry = await open();
    expect(await registry.spent("ann", DAY)).toBe(0);
    await registry.recordSpent("ann", DAY, [turn("a", 5), turn("b", 7)]);
    await registry.recordSpent("ann", DAY, [turn("a", 5), turn("b", 7)]);
    await registry.recordSpent("ann", DAY, [turn("b", 7), turn("c", 100), turn("c", 100)]);
    await registry.recordSpent("ann", DAY, []);
    expect(await registry.spent("ann", DAY)).toBe(112);
  });

  it("[I1] counts nothing of another user's, and nothing of another day's", async () => {
    const registry = await open();
    await registry.recordSpent("ann", DAY, [turn("a", 5)]);
    await registry.recordSpent("bob", DAY, [turn("a", 70)]);
    await registry.recordSpent("ann", "2026-12-01", [turn("a", 900)]);
    expect(await registry.spent("ann", DAY)).toBe(5);
    expect(await registry.spent("bob", DAY)).toBe(70);
    expect(await registry.spent("ann", "2026-12-01")).toBe(900);
    expect(await registry.spent("an", DAY)).toBe(0);
  });

  it("keeps a day for two more and then forgets it, also that of users who do not come again", async () => {
    const registry = await open();
    await registry.recordSpent("bob", DAY, [turn("a", 1)]);
    for (const [day, kept] of [
      ["2026-12-01", 1],
      ["2026-12-02", 1],
      ["2026-12-03", 0],
    ] as const) {
      await registry.recordSpent("ann", day, [turn("a", 1)]);
      expect(await registry.spent("bob", DAY)).toBe(kept);
    }
  });
}
