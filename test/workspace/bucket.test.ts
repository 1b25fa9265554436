import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const key = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
const write = (path: string, text: string) =>
  ({ by: "user:ann", changes: [{ kind: "write", path, content: { text } }] }) as const;

/** A lab whose store counts the listings of ann's bucket. */
function counted() {
  const inner = createMemoryStore();
  const lists: string[] = [];
  const store = {
    ...inner,
    list: (prefix: string, ...page: [string?, number?]) => {
      if (prefix.startsWith(key)) lists.push(prefix);
      return inner.list(prefix, ...page);
    },
  };
  return { lab: new WorkspaceLab({ store }), lists };
}

describe("a bucket", () => {
  it("[W11] asks the store once in its life, whether it is read first or written first", async () => {
    for (const begin of ["read", "write"]) {
      const { lab, lists } = counted();
      if (begin === "read") await lab.workspace().tree({});
      else await lab.workspace().change(write("a.md", "1"));
      expect(lists).toHaveLength(4);
      await lab.clock.pass(0);
      lab.restart();
      await lab.workspace().tree({});
      expect(lists).toHaveLength(4);
    }
  });

  it("is registered before its first change, once, and not for being looked at", async () => {
    const { lab } = counted();
    await lab.workspace().tree({});
    expect(lab.registered).toEqual([]);
    await lab.workspace().change(write("a.md", "1"));
    await lab.workspace().change(write("a.md", "2"));
    lab.restart();
    await lab.workspace().change(write("a.md", "3"));
    expect(lab.registered).toEqual([key]);
  });

  it("is registered when it is rebuilt from what the store holds, though nobody changes it", async () => {
    const { lab } = counted();
    await lab.workspace().change(write("a.md", "1"));
    await lab.pass(15_000);
    lab.restart({ loss: true });
    lab.registered.length = 0;
    expect((await lab.workspace().tree({})).total).toBe(1);
    await lab.clock.pass(0);
    expect(lab.registered).toEqual([key]);
  });

  it("[W11] whose alarm was lost wakes for what is left at its next call", async () => {
    const { lab } = counted();
    await lab.workspace().change(write("a.md", "1"));
    lab.alarms.clear();
    lab.restart();
    await lab.workspace().read({ path: "a.md" });
    await lab.pass(15_000);
    expect((await lab.workspace().usage()).unsettled).toBe(0);
  });

  it("[W10] settles in time though the store failed before and is asked again later", async () => {
    const inner = createMemoryStore();
    let isDown = true;
    const lab = new WorkspaceLab({
      store: {
        ...inner,
        put: (...args) => (isDown ? Promise.reject(new Error("down")) : inner.put(...args)),
      },
    });
    await lab.workspace().change(write("a.md", "1"));
    await lab.pass(120_000);
    isDown = false;
    await lab.workspace().change(write("b.md", "2"));
    await lab.pass(15_000);
    const stored = await inner.list(`${key}files/b.md`);
    expect(stored.entries).toHaveLength(1);
  });
});
