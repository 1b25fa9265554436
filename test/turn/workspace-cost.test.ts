import { describe, expect, it } from "vitest";
import { sessionLog } from "../../src/turn/session-log.ts";
import type { BlobStore } from "../../src/workspace/blob-store.ts";
import { barePrompt } from "../support/bare-prompt.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { SessionLab } from "./session-lab.ts";

/** A store that counts what it is asked. */
function countingStore() {
  const counts = { get: 0, put: 0, delete: 0, list: 0 };
  const inner = createMemoryStore();
  const store: BlobStore = {
    get: (...args) => (counts.get++, inner.get(...args)),
    put: (...args) => (counts.put++, inner.put(...args)),
    delete: (...args) => (counts.delete++, inner.delete(...args)),
    list: (...args) => (counts.list++, inner.list(...args)),
  };
  return { store, counts };
}

const prompt = { ...barePrompt, hasWorkspace: true };

describe("a conversation and its workspace", () => {
  it("[T11, W10] of 20 turns back to back costs at most 10 puts, and none while it goes on", async () => {
    const { store, counts } = countingStore();
    const files = new WorkspaceLab({ store, template: { "AGENTS.md": "Be kind.\n" } });
    const lab = new SessionLab({
      workspace: () => files.workspace(),
      prompt,
      capabilities: [sessionLog],
    });
    for (let turn = 1; turn <= 20; turn++) {
      lab.say(`t${turn}`, [{ text: `Answer ${turn}.` }]);
      await lab.settle();
      await files.clock.pass(400);
    }
    expect(lab.story("t20")).toBe("user step:stop end:completed");
    // Two buckets, the user's and the shared one, found nothing of their four kinds when they first woke.
    expect(counts).toEqual({ get: 0, put: 0, delete: 0, list: 8 });
    await files.pass(15_000);
    const { unsettled } = await files.workspace().usage();
    expect(unsettled).toBe(0);
    console.log(`20 turns back to back: ${counts.put} puts`);
    expect(counts.put).toBeGreaterThan(0);
    expect(counts.put).toBeLessThanOrEqual(10);
  });

  it("[C2, T12] costs one call a turn for the prompt, and no store operation", async () => {
    const { store, counts } = countingStore();
    const files = new WorkspaceLab({ store, template: { "AGENTS.md": "Be kind.\n" } });
    const lab = new SessionLab({ workspace: () => files.workspace(), prompt });
    for (const turn of ["t1", "t2", "t3"]) {
      const [calls, before] = [files.calls.length, { ...counts }];
      lab.say(turn, [{ text: "Yes." }]);
      await lab.settle();
      expect(files.calls.slice(calls)).toEqual(["v1/agents/main/users/ann/ snapshot"]);
      if (turn !== "t1") expect(counts).toEqual(before);
    }
  });
});
