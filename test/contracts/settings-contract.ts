import { expect, it } from "vitest";
import type { RegistryApi } from "../../src/shared/registry-api.ts";

const nothing = { timeZone: null };
const berlin = { timeZone: "Europe/Berlin" };

const session = (id: string, user = "ann") => ({ agent: "main", user, session: id, createdAt: 1 });

const news = (at: number) => ({ title: "t", at, updatedAt: at, isWaiting: false });

/** What every shard of the registry does with what users choose. `open` gives one that is empty. */
export function settingsContract(open: () => Promise<RegistryApi>): void {
  it("[I3] keeps what each user chose last, and nobody else's", async () => {
    const registry = await open();
    expect(await registry.settings("ann")).toEqual(nothing);
    await registry.setSettings("ann", { timeZone: "Asia/Tokyo" });
    await registry.setSettings("ann", berlin);
    expect(await registry.settings("ann")).toEqual(berlin);
    expect(await registry.settings("an")).toEqual(nothing);
    await registry.setSettings("ann", nothing);
    expect(await registry.settings("ann")).toEqual(nothing);
  });

  it("tells every session of the user, when it is registered and with its news", async () => {
    const registry = await open();
    expect(await registry.registerSession(session("s"))).toEqual(nothing);
    await registry.setSettings("ann", berlin);
    expect(await registry.registerSession(session("s"))).toEqual(berlin);
    expect(await registry.registerSession(session("s", "bob"))).toEqual(nothing);
    for (const at of [5, 3])
      expect(await registry.updateSession("main", "ann", "s", news(at))).toEqual(berlin);
    expect(await registry.updateSession("main", "ann", "gone", news(9))).toEqual(berlin);
  });

  it("[I2] refuses a user that is none", async () => {
    const registry = await open();
    await expect((async () => registry.setSettings("a/b", berlin))()).rejects.toThrow();
  });
}
