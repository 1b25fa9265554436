import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { breathe, clientOf, sessionStub, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const steps = (count: number, label: (step: number) => string): ScriptedStep[] =>
  Array.from({ length: count }, (_, step) => ({
    text: "Again.",
    batches: 1,
    calls: [{ name: "read_thing", input: JSON.stringify({ label: label(step) }) }],
  }));

const count = (journal: readonly JournalEntry[], kind: JournalEntry["kind"]) =>
  journal.filter((entry) => entry.kind === kind).length;

describe("a turn that does not end by itself", () => {
  it.each([
    ["step_limit", "scripted", 10, steps(30, String)],
    ["repeated_call", "scripted", 3, steps(30, () => "the same")],
    ["token_budget", "frugal", 3, steps(30, String)],
  ])(
    "[T10] ends with %s, says so, and the next message is answered",
    async (code, agent, ran, all) => {
      const client = clientOf(code, agent);
      await client.talk("t1", { message: script(...all) });
      expect(client.streams[0]?.at(-1)?.event).toMatchObject({
        type: "turn-end",
        outcome: "failed",
        error: { code, message: expect.stringMatching(/^The (turn|model) /) as string },
        steps: ran,
      });
      const { journal } = await tablesOf(code, agent);
      expect([count(journal, "step"), count(journal, "result")]).toEqual([ran, ran]);
      expect(outside().witness.requests).toHaveLength(ran);
      await client.talk("t2", { message: "And now?" });
      expect(client.streams[1]?.at(-1)?.event).toMatchObject({ outcome: "completed" });
    },
  );

  it("[T10] runs 25 calls of a step and answers the others with an error", async () => {
    const calls = Array.from({ length: 27 }, (_, at) => ({
      name: "read_thing",
      input: JSON.stringify({ label: `${at}` }),
    }));
    await clientOf("wide").talk("t1", { message: script({ calls }, { text: "Enough." }) });
    const { journal } = await tablesOf("wide");
    const results = journal.flatMap((entry) => (entry.kind === "result" ? [entry.status] : []));
    expect(results.filter((status) => status === "success")).toHaveLength(25);
    expect(results.filter((status) => status === "error")).toHaveLength(2);
    expect(outside().effects.runs).toHaveLength(25);
  });
});

describe("an idle object", () => {
  it.each([
    ["completed", script({ text: "Done." })],
    ["failed", script({ text: "Oh", fail: "model_auth" })],
  ])("[R3] has no alarm once its last one went off (%s)", async (outcome, message) => {
    const client = clientOf(outcome);
    await client.talk("t1", { message });
    const alarm = () =>
      runInDurableObject(sessionStub(outcome), (_, state) => state.storage.getAlarm());
    expect(await alarm()).not.toBeNull();
    await runDurableObjectAlarm(sessionStub(outcome));
    expect(await alarm()).toBeNull();
    await client.history();
    await client.stop();
    expect(await alarm()).toBeNull();
  });
});
