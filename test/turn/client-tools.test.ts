import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import { AskingLab, call, yes } from "./asking-lab.ts";

describe("a client's tool", () => {
  const locating = [{ calls: [call("locate", "here"), call("locate", "there")] }, { text: "ok" }];

  it("[T13] is run by the client: the turn goes on when the whole batch is in", async () => {
    const lab = new AskingLab();
    lab.say("t", locating);
    await lab.settle();
    expect(lab.pending()).toMatchObject([
      { name: "locate", what: "client", suggested: [] },
      { name: "locate", what: "client" },
    ]);
    await lab.decide("here", { kind: "result", output: { city: "Ulm" }, isError: false });
    expect(lab.witness.requests).toHaveLength(1);
    await lab.decide("there", { kind: "result", output: "no signal", isError: true });
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:result result:success answered:result result:error end:completed",
    );
    const told = JSON.stringify(lab.witness.requests.at(-1)?.messages.at(-1));
    expect(told).toMatch(/Ulm.*no signal/);
  });

  it("[A1] is denied where only reading is allowed, unless it only reads", async () => {
    const writing = new AskingLab({ permissions: { mode: "EXPLORE" } });
    const tools = writing
      .ownTools()
      .map((tool) => (tool.name === "locate" ? { ...tool, effect: "external" as const } : tool));
    writing.restart({ tools, permissions: { ...defaultPermissions, mode: "EXPLORE" } });
    writing.say("t", locating);
    await writing.settle();
    expect(writing.facts("asked", "result", "end")).toBe(
      "result:denied result:denied end:completed",
    );
    const reading = new AskingLab({ permissions: { mode: "EXPLORE" } });
    reading.say("t", locating);
    await reading.settle();
    expect(reading.facts("asked", "result")).toBe("asked asked");
  });

  it("[A6] and approvals wait beside each other", async () => {
    const lab = new AskingLab();
    lab.say("t", [{ calls: [call("locate", "a"), call("unsafe_thing", "b")] }, { text: "ok" }]);
    await lab.settle();
    await lab.decide("b", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:b"]);
    await lab.decide("a", { kind: "result", output: "here", isError: false });
    expect(lab.facts("waiting", "end")).toBe("waiting waiting end:completed");
  });
});
