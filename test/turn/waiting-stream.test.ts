import { describe, expect, it } from "vitest";
import { identified } from "../support/client.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { asking, AskingLab, no, waitingLab, yes } from "./asking-lab.ts";

describe("the stream of a turn that waits", () => {
  it("[S4] ends where it waits; that of the answer goes on to the end, with nothing lost or doubled", async () => {
    const lab = new AskingLab();
    lab.say("t", asking("one", "two"));
    const first = lab.listen({ until: "t" });
    await lab.settle();
    expect(first.state).toBe("ended");
    expect(first.frames().at(-1)?.event.type).toBe("turn-waiting");
    const after = (listener: typeof first) => identified(listener.frames()).at(-1)?.id ?? "";
    await lab.decide("one", no);
    const second = lab.listen({ until: "t", after: after(first) });
    await lab.settle();
    expect(second.state).toBe("ended");
    expect(identified(second.frames()).map(({ event }) => event.type)).toEqual([
      "call-answered",
      "tool-result",
      "turn-waiting",
    ]);
    await lab.decide("two", yes);
    const third = lab.listen({ until: "t", after: after(second) });
    const replay = lab.listen();
    await lab.settle();
    expect(third.frames().at(-1)?.event.type).toBe("turn-end");
    const seen = [first, second, third].flatMap(({ frames }) => identified(frames()));
    expect(streamViolations(seen, identified(replay.frames()))).toEqual([]);
    const whole = lab.listen({ until: "t" });
    await lab.settle();
    expect(whole.frames().at(-1)?.event.type).toBe("turn-end");
  });

  it("[S5] is told at once what waits, also of an object that just woke", async () => {
    const lab = await waitingLab("one");
    lab.again();
    const listener = lab.listen({ after: "4.0" });
    await lab.settle();
    expect(listener.frames()[0]?.event).toMatchObject({
      type: "status",
      turns: [{ state: "waiting" }],
      pending: [{ call: "call_2_0", reason: expect.any(String) }],
    });
  });

  it("[S3, R3] costs nobody anything: a tail of a session that waits ends when it has been idle for a minute", async () => {
    const lab = await waitingLab("one");
    const listener = lab.listen();
    await lab.clock.pass(90_000);
    expect(listener.state).toBe("ended");
  });
});
