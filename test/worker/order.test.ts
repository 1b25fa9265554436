import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { identified, parseFrames } from "../support/client.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { breathe, clientOf, sessionStub, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const post = (session: string, key: string, message: string, accept = "*/*") =>
  exports.default.fetch(`http://localhost/v1/agents/scripted/sessions/${session}/turns`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key, accept },
    body: JSON.stringify({ message }),
  });

const stream = async (session: string, key: string, message: string) => {
  const response = await post(session, key, message, "text/event-stream");
  return identified(parseFrames(await response.text()));
};

const untilAtRest = async (session: string) => {
  while ((await tablesOf(session)).jobs.length > 0) await breathe();
};

describe("one key", () => {
  it("[T3] is one turn, however many send it at once", async () => {
    const message = script({ text: "Only once" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("same", "k", message)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
    await untilAtRest("same");
    const { turns, journal } = await tablesOf("same");
    expect(turns.map(({ id, state }) => [id, state])).toEqual([["k", "completed"]]);
    expect(journal.filter(({ kind }) => kind === "user")).toHaveLength(1);
    expect(outside().witness.requests).toHaveLength(1);
  });

  it("[T3] with another message is refused, also after the turn, and stores nothing", async () => {
    await stream("other", "k", "One thing");
    const refused = await post("other", "k", "Another thing");
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ error: { code: "key_reused" } });
    expect((await tablesOf("other")).turns).toHaveLength(1);
  });
});

describe("the turns of a session", () => {
  it("[T4] run one at a time, in order of acceptance", async () => {
    const running = new Set<string>();
    let most = 0;
    outside().onPoint = (name) => {
      if (name === "model:before") running.add(name);
      most = Math.max(most, running.size);
      if (name === "model:after") running.clear();
      return false;
    };
    const keys = ["first", "second", "third"];
    const answers = keys.map((key) => stream("line", key, script({ text: `I am ${key}.` })));
    await Promise.all(answers);
    const { turns, journal } = await tablesOf("line");
    expect(turns.map(({ id }) => id)).toEqual(keys);
    expect(journal.map(({ turn, kind }) => `${turn} ${kind}`)).toEqual(
      keys.flatMap((key) => [`${key} user`, `${key} step`, `${key} end`]),
    );
    expect(most).toBe(1);
  });

  it("[T4] run beside those of other sessions", async () => {
    let waiting = 0;
    outside().pause = async () => {
      waiting += 1;
      while (waiting < 3) await breathe();
    };
    await Promise.all(["a", "b", "c"].map((name) => stream(`beside-${name}`, "k", name)));
    expect(outside().witness.requests).toHaveLength(3);
  });

  it("[S4] a POST's stream holds its own turn and ends with it", async () => {
    const next = script({ text: "That is another matter." });
    const [first, second] = await Promise.all([
      stream("own", "one", script({ text: "One" })),
      stream("own", "two", next),
      stream("own", "three", next),
    ]);
    for (const [turn, events] of [
      ["one", first],
      ["two", second],
    ] as const) {
      expect(events[0]?.event).toMatchObject({ type: "turn-start", turn });
      expect(events.at(-1)?.event).toMatchObject({ type: "turn-end", turn });
      expect(events.filter(({ event }) => event.type === "turn-start")).toHaveLength(1);
    }
    const again = await stream("own", "one", script({ text: "One" }));
    expect(streamViolations(again, first)).toEqual([]);
    expect(again.at(-1)).toEqual(first.at(-1));
  });

  it("[S1] are streamed by an object that has just woken up", async () => {
    const client = clientOf("woken");
    await client.talk("one", { message: "Good night." });
    await evictDurableObject(sessionStub("woken"));
    const events = await stream("woken", "two", "Good morning.");
    expect(events.at(-1)?.event).toMatchObject({ type: "turn-end", turn: "two" });
  });
});

describe("a driver whose turn another instance took over", () => {
  const call = (label: string) => ({ name: "keyed_thing", input: JSON.stringify({ label }) });
  const message = script(
    { text: "Once", fail: "unavailable", failTimes: 1, calls: [call("a"), call("b")] },
    { reasoning: "Hm.", text: "So", batches: 2, calls: [{ name: "unsafe_thing", input: "{}" }] },
    { text: "That does not work", batches: 2, fail: "model_auth" },
  );

  /** Takes the turn over at the `wait`-th wait of its driver; whether there was one, and what was written since. */
  async function takeOver(session: string, wait: number) {
    let waits = 0;
    let isHeld = true;
    const { effects } = resetOutside();
    outside().pause = async () => {
      waits += 1;
      do await breathe();
      while (waits === wait && isHeld);
    };
    await post(session, "t1", message);
    while (waits < wait && (await tablesOf(session)).jobs.length > 0) await breathe();
    if (waits < wait) return null;
    await runInDurableObject(sessionStub(session), (_, state) => {
      state.storage.sql.exec("UPDATE turn SET epoch = 'another'");
    });
    const before = await tablesOf(session);
    const runs = [...effects.runs];
    isHeld = false;
    for (let breaths = 0; breaths < 20; breaths++) await breathe();
    return { before, after: await tablesOf(session), runs, runsAfter: effects.runs };
  }

  it("[T2, T5] writes and begins nothing more, whatever it was doing", async () => {
    let wait = 1;
    for (; ; wait++) {
      const seen = await takeOver(`taken-${wait}`, wait);
      if (!seen) break;
      expect(seen.after, `at wait ${wait}`).toEqual(seen.before);
      // A call that is on its way cannot be called back.
      expect(seen.runsAfter.length - seen.runs.length).toBeLessThanOrEqual(2);
    }
    expect(wait).toBeGreaterThan(20);
  });
});
