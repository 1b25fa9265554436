import { beforeEach, describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { calls, eventsOf, NativeClient, untilEnded } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const done = { text: "Done." };
const asking = [calls(["unsafe_thing", { label: "one" }]), done];
const none = { allow: [], ask: [], deny: [] };

describe("permissions of a session", () => {
  it("[A2] are the operator's until somebody chooses, and asking stores nothing", async () => {
    const client = new NativeClient("fresh", "careful");
    expect(await client.permissions()).toEqual({
      session: { mode: "DEFAULT", ...none },
      operator: { ...none, deny: [{ tool: "keyed_thing" }] },
      modes: ["DEFAULT", "EXPLORE"],
    });
    expect((await client.ask("GET", "/mode")).body).toEqual({ mode: "DEFAULT" });
    expect((await tablesOf("fresh", "careful")).journal).toEqual([]);
  });

  it("[A7] hold from when they are set, list by list, in this session alone", async () => {
    const client = new NativeClient("set");
    const allow = [{ tool: "unsafe_*" }];
    const deny = [{ tool: "keyed_thing", argument: { name: "label", value: "x*" } }];
    expect((await client.ask("PUT", "/permissions", { allow })).body).toMatchObject({
      session: { mode: "DEFAULT", ...none, allow },
    });
    const { body } = await client.ask("PUT", "/permissions", { deny });
    expect(body).toMatchObject({ session: { ...none, allow, deny } });
    expect(await client.permissions()).toEqual(body);
    const events = await client.say(asking, "t1");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
    const other = await new NativeClient("other").permissions();
    expect(other.session).toEqual({ mode: "DEFAULT", ...none });
  });

  it("[A2] of the mode EXPLORE let only reading tools run", async () => {
    const client = new NativeClient("explore");
    const set = await client.ask("PUT", "/mode", { mode: "EXPLORE" });
    expect(set).toMatchObject({ status: 200, body: { mode: "EXPLORE" } });
    const events = await client.say([calls(["read_thing"], ["unsafe_thing"]), done], "t1");
    const results = eventsOf(events, "tool-result").map(({ name, status }) => [name, status]);
    expect(Object.fromEntries(results)).toEqual({ read_thing: "success", unsafe_thing: "denied" });
    expect(outside().effects.runs).toEqual(["read_thing:x"]);
    expect((await client.history()).status.mode).toBe("EXPLORE");
  });

  it("[A2] cannot be of a mode that the operator does not offer, nor undo the operator's rules", async () => {
    const client = new NativeClient("offered", "careful");
    for (const [path, body] of [
      ["/mode", { mode: "BYPASS" }],
      ["/permissions", { mode: "BYPASS", allow: [{ tool: "*" }] }],
    ] as const) {
      const refused = await client.ask("PUT", path, body);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    }
    expect((await client.permissions()).session).toEqual({ mode: "DEFAULT", ...none });
    await client.ask("PUT", "/permissions", { allow: [{ tool: "*" }] });
    const events = await client.say([calls(["keyed_thing"]), done], "t1");
    expect(eventsOf(events, "tool-result")).toMatchObject([{ status: "denied" }]);
    expect(outside().effects.runs).toEqual([]);
  });

  it("[A7, H1] have at most 100 rules of a kind, and a list with one more is refused in words", async () => {
    const client = new NativeClient("many-rules");
    const rules = Array.from({ length: 101 }, (_, no) => ({ tool: `tool_${no}` }));
    for (const kind of ["allow", "ask", "deny"]) {
      const put = (list: unknown) => client.ask("PUT", "/permissions", { [kind]: list });
      expect((await put(rules.slice(1))).status).toBe(200);
      const refused = await put(rules);
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid" } } });
      expect(JSON.stringify(refused.body)).toContain(`${kind}: must have at most 100 rules`);
    }
  });

  it("[A1] that change decide anew on what waits", async () => {
    const client = new NativeClient("allowed");
    await client.say(asking, "t1");
    await client.ask("PUT", "/permissions", { allow: [{ tool: "unsafe_thing" }] });
    const events = await untilEnded("allowed", 1);
    expect(events.at(-1)).toMatchObject({ outcome: "completed" });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
    const second = new NativeClient("disallowed");
    await second.say(asking, "t1");
    await second.ask("PUT", "/permissions", { mode: "DONT_ASK" });
    const later = await untilEnded("disallowed", 1);
    expect(eventsOf(later, "tool-result")).toMatchObject([{ status: "denied" }]);
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
  });
});
