import { describe, expect, it } from "vitest";
import { sessionLog } from "../../src/turn/records/session-log.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
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

/** A session whose log goes to a workspace; each has a clock of its own. */
function labWithLog(store: BlobStore) {
  const files = new WorkspaceLab({ store, template: { "AGENTS.md": "Be kind.\n" } });
  const lab = new SessionLab({
    workspace: () => files.workspace(),
    prompt,
    capabilities: [sessionLog],
  });
  const pass = async (ms: number) => {
    await lab.clock.pass(ms);
    await files.pass(ms);
  };
  /** A turn from its message to its end. */
  const turn = async (key: string, text: string) => {
    lab.say(key, [{ text }]);
    while (lab.session.current()) await lab.settle();
  };
  const talk = async (turns: number, ms: number) => {
    for (let no = 1; no <= turns; no++) {
      await turn(`t${no}`, `Answer ${no}.`);
      await pass(ms);
    }
  };
  return { files, lab, pass, turn, talk };
}

const LOG = "agents/main/sessions/s1.log.jsonl";

describe("a conversation and its workspace", () => {
  it("[T11, W10] of 20 turns back to back costs at most 10 puts, and none while it goes on", async () => {
    const { store, counts } = countingStore();
    const { files, lab, pass, talk } = labWithLog(store);
    await talk(20, 400);
    expect(lab.story("t20")).toBe("user step:stop end:completed");
    // Two buckets, the user's and the shared one, found nothing of their four kinds when they first woke.
    expect(counts).toEqual({ get: 0, put: 0, delete: 0, list: 8 });
    await pass(25_000);
    const { unsettled } = await files.workspace().usage();
    expect(unsettled).toBe(0);
    console.log(`20 turns back to back: ${counts.put} puts`);
    expect(counts.put).toBeGreaterThan(0);
    expect(counts.put).toBeLessThanOrEqual(10);
  });

  it.each([
    { ms: 0, calls: 1 },
    { ms: 400, calls: 1 },
    { ms: 999, calls: 2 },
  ])(
    "[T11, T12] of 20 turns, one every $ms ms, costs $calls calls for its log, and little more than 2 rows a turn",
    async ({ ms, calls }) => {
      const { files, lab, pass, turn, talk } = labWithLog(createMemoryStore());
      await turn("first", "Hi.");
      await pass(60_000);
      const [before, rows] = [files.calls.length, files.written()];
      await talk(20, ms);
      await lab.clock.pass(10_000);
      // Digests take real time: until the work is done, its jobs stand.
      while (lab.sql.all("SELECT * FROM job").length > 0) await lab.clock.pass(0);
      const asked = files.calls.slice(before).filter((call) => !call.endsWith(" snapshot"));
      expect(asked).toEqual(Array(calls).fill("v1/agents/main/users/ann/ change"));
      // A part of the log and its id for each turn; log, index, its text and perhaps the job for each call.
      expect(files.written() - rows).toBeGreaterThanOrEqual(2 * 20 + 3 * calls);
      expect(files.written() - rows).toBeLessThanOrEqual(2 * 20 + 4 * calls);
      const { content } = await files.workspace().read({ path: LOG });
      const text = "text" in content ? content.text : "";
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
      expect(lines).toEqual(lab.entries());
      expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
    },
  );

  it("[C2, T12] costs one call a turn for the prompt, and no store operation", async () => {
    const { store, counts } = countingStore();
    const files = new WorkspaceLab({ store, template: { "AGENTS.md": "Be kind.\n" } });
    const lab = new SessionLab({ workspace: () => files.workspace(), prompt });
    const [own, shared] = ["v1/agents/main/users/ann/", "v1/agents/main/shared/"];
    for (let turn = 1; turn <= 10; turn++) {
      const [calls, before] = [files.calls.length, { ...counts }];
      lab.say(`t${turn}`, [{ text: "Yes." }]);
      await lab.settle();
      expect(files.calls.slice(calls)).toEqual([`${own} snapshot`]);
      if (turn > 1) expect(counts).toEqual(before);
      // Every turn asks the bucket; the bucket asks the shared layer again when its copy is 30 s old.
      expect(files.between).toEqual(Array(Math.ceil(turn / 3)).fill(`${own} ${shared} manifest`));
      await files.clock.pass(10_000);
    }
  });
});
