import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/tools/tool.ts";
import { identified } from "../support/client.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { SessionLab, type Listener } from "./session-lab.ts";

const eventsOf = (listener: Listener) => identified(listener.frames());

describe("an object that another has replaced", () => {
  /** Lets an object work on `steps` until something waits, has another take over, and lets the first go on. */
  async function replacedIn(steps: readonly ScriptedStep[], wait: (lab: SessionLab) => boolean) {
    const lab = new SessionLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (wait(lab) ? gate.promise : Promise.resolve());
    lab.say("t", steps);
    await lab.settle();
    lab.pause = () => Promise.resolve();
    lab.restart().current();
    await lab.settle();
    const story = lab.story();
    gate.resolve();
    await lab.settle();
    expect(lab.story()).toBe(story);
    return lab;
  }
  const call = (name: string) => ({ name, input: "{}" });

  it("[T2] stores no step of it", async () => {
    const lab = await replacedIn(
      [{ text: "x", calls: [call("read_thing")] }, { text: "y" }],
      () => true,
    );
    expect(lab.effects.runs).toHaveLength(1);
  });

  it("[T5] stores no result of it", async () => {
    const isRunning = ({ effects }: SessionLab) => effects.runs.length > 0;
    const lab = await replacedIn([{ calls: [call("unsafe_thing")] }, { text: "y" }], isRunning);
    expect(lab.effects.runs).toHaveLength(1);
  });

  it("[T5] runs no call of it again, though its probe said that it had not run", async () => {
    const gates = [Promise.withResolvers<"absent">(), Promise.withResolvers<"absent">()];
    let [runs, probes] = [0, 0];
    const tool: Tool = {
      name: "probed",
      description: "",
      inputSchema: {},
      effect: "external",
      replay: "checkable",
      parallel: false,
      prepare: () => ({
        run: () => (++runs === 1 ? new Promise(() => {}) : Promise.resolve("done")),
        probe: () => gates[probes++]?.promise ?? Promise.resolve("unknown"),
      }),
    };
    const lab = new SessionLab({ tools: [tool] });
    lab.say("t", [{ calls: [call("probed")] }, { text: "y" }]);
    await lab.settle();
    for (let n = 0; n < 2; n++) {
      lab.restart().current();
      await lab.settle();
    }
    gates[1]?.resolve("absent");
    await lab.settle();
    gates[0]?.resolve("absent");
    await lab.settle();
    expect({ runs, end: lab.entries().at(-1) }).toMatchObject({
      runs: 2,
      end: { outcome: "completed" },
    });
  });

  it("[S2] leaves no checkpoint behind", async () => {
    const lab: SessionLab = new SessionLab({
      model: {
        id: "slow",
        async *stream() {
          yield [{ type: "text", text: "x" }];
          await lab.clock.sleep(10_000);
          yield [{ type: "text", text: "y" }];
          yield [{ type: "finish", reason: "stop", usage: { input: 0, output: 0, cached: 0 } }];
        },
      },
    });
    lab.say("t", "hi");
    await lab.clock.pass(9_000);
    lab.restart().stop();
    await lab.clock.pass(60_000);
    expect(lab.sql.all("SELECT * FROM live")).toEqual([]);
    expect(lab.story()).toBe("user reset:2 end:stopped");
  });

  it("[T2, T4] commits nothing more of the turn, and starts no other", async () => {
    const lab = new SessionLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => gate.promise;
    lab.say("a", [{ text: "one", batches: 2 }]);
    lab.say("b", "two");
    const old = lab.listen();
    await lab.settle();
    lab.pause = () => Promise.resolve();
    lab.restart().current();
    await lab.settle();
    expect(lab.story()).toBe("user reset:2 step:stop end:completed user step:stop end:completed");
    const story = lab.story();
    gate.resolve();
    await lab.settle();
    await lab.clock.pass(120_000);
    expect(lab.story()).toBe(story);
    const rest = lab.listen({ after: eventsOf(old).at(-1)?.id ?? "" });
    const replay = lab.listen();
    await lab.settle();
    const seen = [...eventsOf(old), ...eventsOf(rest)];
    expect(streamViolations(seen, eventsOf(replay))).toEqual([]);
  });
});
