import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { breathe, clientOf, keyOf, sessionStub, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
});

/** Ends the object of the session at every one of these points. */
function crashAlwaysAt(session: string, ...points: readonly string[]): void {
  outside().onPoint = (name, object) => object === keyOf(session) && points.includes(name);
}

const endsOf = async (session: string) =>
  (await tablesOf(session)).journal.flatMap((entry) =>
    entry.kind === "end" ? [{ outcome: entry.outcome, code: entry.error?.code }] : [],
  );

describe("a turn that ends its object each time", () => {
  it.each([
    ["while the model answers", "model:batch", script({ text: "Boom" }), 11],
    [
      "while a tool runs",
      "tool:after",
      script({ calls: [{ name: "read_thing", input: "{}" }] }, { text: "never" }),
      1,
    ],
  ])("[T7] is given up after 10 attempts %s", async (name, point, message, requests) => {
    const session = `given-up-${point.replace(":", "-")}`;
    const client = clientOf(session);
    crashAlwaysAt(session, point);
    await client.talk("t1", { message });
    expect(await endsOf(session)).toEqual([{ outcome: "failed", code: "recovery_exhausted" }]);
    expect(outside().witness.requests.length, name).toBe(requests);

    outside().onPoint = null;
    await client.talk("t2", { message: "And now?" });
    expect((await endsOf(session)).at(-1)).toEqual({ outcome: "completed", code: undefined });
  });

  it("[T5] runs an unsafe tool once all the same", async () => {
    const { effects } = outside();
    let crashes = 0;
    outside().onPoint = (name) =>
      effects.runs.length > 0 &&
      name === (crashes === 0 ? "tool:after" : "model:batch") &&
      ++crashes > 0;
    await clientOf("unsafe").talk("t1", {
      message: script({ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "Hm." }),
    });
    expect(outside().effects.runs).toEqual(["unsafe_thing:x"]);
    expect(await endsOf("unsafe")).toEqual([{ outcome: "failed", code: "recovery_exhausted" }]);
  });

  it("[T7] counts only attempts without progress", async () => {
    let crashes = 0;
    outside().onPoint = (name) => name === "commit:attempt:before" && ++crashes % 8 !== 0;
    const steps = [1, 2, 3].map((label) => ({
      calls: [{ name: "read_thing", input: JSON.stringify({ label: `${label}` }) }],
    }));
    await clientOf("progress").talk("t1", { message: script(...steps, { text: "At last." }) });
    expect(crashes).toBeGreaterThan(20);
    expect(await endsOf("progress")).toEqual([{ outcome: "completed", code: undefined }]);
  });

  it("[T7, R3] is given up without any client, by the alarm alone", async () => {
    await clientOf("alone").post("t1", { message: script({ text: "Boom" }) });
    crashAlwaysAt("alone", "model:batch");
    for (let alarms = 0; alarms < 30 && (await endsOf("alone")).length === 0; alarms++) {
      await runDurableObjectAlarm(sessionStub("alone")).catch(() => {});
      await breathe();
      await breathe();
    }
    expect(await endsOf("alone")).toEqual([{ outcome: "failed", code: "recovery_exhausted" }]);
  });
});

/** Sets the alarm off; the object ends as soon as it reads what is before `start` into memory. */
async function wakeWithoutMemory(session: string, start: number): Promise<void> {
  await runInDurableObject(sessionStub(session), (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
      const isWindow = query.endsWith("FROM journal WHERE seq >= ? AND turn <> ? ORDER BY seq");
      if (isWindow && Number(bindings[0]) < start) state.abort("out of memory");
      return exec(query, ...bindings);
    });
    return state.storage.setAlarm(Date.now() + 30_000);
  });
  await runDurableObjectAlarm(sessionStub(session)).catch(() => {});
  for (let breaths = 0; breaths < 5; breaths++) await breathe();
}

describe("a session that is too large to load", () => {
  it("[T7] gives its turn up after three strikes, without loading it again", async () => {
    const client = clientOf("heavy");
    await client.talk("t1", { message: "A long story." });
    let crashes = 0;
    outside().onPoint = (name) => name === "model:batch" && ++crashes > 0;
    await client.post("t2", { message: script({ text: "Boom" }) });
    while (crashes === 0) await breathe();
    outside().onPoint = null;
    const start = (await tablesOf("heavy")).turns[1]?.start ?? 0;
    let wakes = 0;
    for (; wakes < 10 && (await endsOf("heavy")).length === 1; wakes++)
      await wakeWithoutMemory("heavy", start);
    expect((await endsOf("heavy")).at(-1)).toEqual({ outcome: "failed", code: "out_of_memory" });
    expect(wakes).toBe(4);
    await client.talk("t3", { message: "Hello again." });
    expect(outside().witness.requests.at(-1)?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello again." }] },
    ]);
  });
});
