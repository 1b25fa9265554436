import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { MemoryOverview, Undone } from "../../src/shared/memory-api.ts";
import type { SearchAnswer } from "../../src/shared/workspace-api.ts";
import { parseFrames } from "../support/client.ts";

/** A person who talks to the agent `main`, whose model is the offline one. */
function personOf(user: string) {
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await exports.default.fetch(`http://localhost/v1/${path}`, {
      method,
      headers: { "x-carrel-user": user, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([method, path, response.status]).toEqual([method, path, 200]);
    return (await response.json()) as unknown;
  };
  return {
    async say(session: string, message: string): Promise<string> {
      const url = `http://localhost/v1/agents/main/sessions/${session}/turns`;
      const response = await exports.default.fetch(url, {
        method: "POST",
        headers: {
          "x-carrel-user": user,
          "content-type": "application/json",
          accept: "text/event-stream",
        },
        body: JSON.stringify({ message }),
      });
      const events = parseFrames(await response.text()).map(({ event }) => event);
      expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
      return events.map((event) => (event.type === "text" ? event.text : "")).join("");
    },
    memory: async () => (await ask("GET", "agents/main/memory")) as MemoryOverview,
    find: async (query: string) =>
      (await ask("GET", `agents/main/search?q=${encodeURIComponent(query)}`)) as SearchAnswer,
    undo: async (body: object) => (await ask("POST", "agents/main/memory/undo", body)) as Undone,
    forget: (entries: readonly string[]) => ask("POST", "agents/main/memory/forget", { entries }),
    keepUp: () => ask("POST", "admin/maintenance", { agent: "main", user }),
  };
}

describe("an agent that remembers", () => {
  it("[M7, I1] knows on Friday what it was told on Monday, says where from, and lets it be taken back", async () => {
    const ann = personOf("ann-who-remembers");
    await ann.say("monday", "Remember that my dog is called Bo.");
    expect(await ann.say("friday", "What do you know about my dog?")).toContain("Bo");
    const { entries } = await ann.memory();
    expect(entries).toHaveLength(1);
    expect(entries[0]?.text).toContain("Bo");
    expect(entries[0]?.sources[0]).toMatchObject({ session: "main/monday" });
    const [hit] = (await ann.find("dog Bo")).hits;
    expect(hit).toMatchObject({ path: "MEMORY.md", line: 1 });
    const stranger = personOf("a-stranger");
    expect((await stranger.find("dog Bo")).hits.map(({ snippet }) => snippet)).not.toContainEqual(
      expect.stringContaining("Bo"),
    );
    expect((await stranger.memory()).entries).toEqual([]);
    expect(await ann.undo({ entry: entries[0]?.id })).toMatchObject({ restored: 1 });
    expect((await ann.memory()).entries).toEqual([]);
  });

  it("[M4, M7, M10, R1] has its notes made into memory when upkeep is asked for, once, with a record", async () => {
    const ben = personOf("ben-who-remembers");
    await ben.say("s1", "Remember that our office is in Bern.");
    await ben.keepUp();
    const first = await ben.memory();
    expect(first.pending).toBe(0);
    expect(first.runs).toHaveLength(1);
    await ben.keepUp();
    expect((await ben.memory()).runs).toEqual(first.runs);
    const ids = first.entries.map(({ id }) => id);
    await ben.forget(ids);
    const after = await ben.memory();
    expect([after.entries, after.forgotten > 0]).toEqual([[], true]);
    const { hits } = await ben.find("office Bern");
    expect(hits.filter(({ source }) => source !== "knowledge")).toEqual([]);
  });
});
