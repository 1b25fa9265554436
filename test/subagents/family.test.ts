import { describe, expect, it } from "vitest";
import { call } from "../turn/asking-lab.ts";
import { done, FamilyLab, spawn, tool } from "./family-lab.ts";

const found = { text: "Found it.", batches: 1 } as const;
const work = (label: string) => call("unsafe_thing", label);
const taskIn = (text = "") => /task_id: (\S+)/.exec(text)?.[1] ?? "";
const keyIn = (text = "") => /agent_key: (\S+)/.exec(text)?.[1] ?? "";

/** A gate that everything which is asked of a model waits for. */
function gated(lab: FamilyLab): () => void {
  const gate = Promise.withResolvers<void>();
  lab.pause = () => gate.promise;
  return () => {
    lab.pause = () => Promise.resolve();
    gate.resolve();
  };
}

describe("a subagent that is waited for", () => {
  it("[U3] works in a session of its own, and answers in its parent's turn", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [spawn([{ calls: [work("c")] }, found])] }, done);
    expect(lab.story()).toBe(
      "user step intent held waiting woken result:success step end:completed",
    );
    const [text] = lab.results();
    expect(text).toMatch(/^agent_key: agent:helper:sub-[0-9a-f]{32}\nagent_id: helper\n/);
    expect(text).toMatch(/status: ok\nreply:\nFound it\.$/);
    expect(lab.effects.runs).toEqual(["unsafe_thing:c"]);
    expect(lab.children).toHaveLength(1);
    expect(lab.story(lab.children[0])).toMatch(/^user step .*end:completed$/);
  });

  it("[U2] cannot spawn", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [spawn([{ calls: [spawn([found])] }, found])] }, done);
    expect(lab.children).toHaveLength(1);
    expect(lab.results(lab.children[0])[0]).toContain('no tool named "agent_spawn"');
  });

  it("[U5] its failure is told as one", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [spawn([{ fail: "unavailable" }])] }, done);
    await lab.pass(20_000);
    expect(lab.results()[0]).toMatch(/status: error\nerror: /);
    expect(lab.story()).toMatch(/end:completed$/);
  });

  it("[U4] that takes too long goes on in the background, and is told of once", async () => {
    const lab = new FamilyLab();
    const open = gated(lab);
    lab.say("t", { calls: [spawn([found], { timeout_seconds: 5 })] }, done);
    open();
    await lab.clock.pass(0);
    const again = gated(lab);
    await lab.pass(6_000);
    again();
    await lab.settle();
    const text = lab.results()[0] ?? "";
    if (text.includes("status: ok")) return expect(text).toContain("Found it.");
    expect(text).toContain("status: timeout_promoted");
    expect(lab.entries().filter(({ kind }) => kind === "delivered")).toHaveLength(1);
  });

  it("[U3] an unknown one is answered with those that there are", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [tool("agent_spawn", { agent_id: "nobody", task: "x" })] }, done);
    expect(lab.results()[0]).toMatch(/status: error\n.*general-purpose, helper, keeper/);
    expect(lab.children).toEqual([]);
  });
});

describe("a subagent in the background", () => {
  const background = (steps: Parameters<typeof spawn>[0], more: object = {}) =>
    spawn(steps, { timeout_seconds: 0, ...more });

  it("[U4] wakes a session that is idle, once, with what came of it", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [background([{ calls: [work("c")] }, found])] }, done);
    expect(lab.results()[0]).toMatch(/status: accepted\ntask_id: task_/);
    expect(lab.story()).toMatch(/end:completed user delivered step end:completed$/);
    const told = lab.witness.requests.at(-1)?.messages.at(-1);
    expect(JSON.stringify(told)).toContain("Found it.");
    await lab.pass(120_000);
    expect(lab.entries().filter(({ kind }) => kind === "delivered")).toHaveLength(1);
  });

  it("[U3] task_output and wait_async_results wait for it, and it is told once", async () => {
    const lab = new FamilyLab();
    const calls = [background([found]), background([found])];
    await lab.run(
      "t",
      { calls },
      { calls: [tool("wait_async_results", { wait_all: true })] },
      done,
    );
    expect(lab.results()[2]?.match(/state: completed/g)).toHaveLength(2);
    const task = taskIn(lab.results()[0]);
    await lab.run("u", { calls: [tool("task_output", { task_id: task })] }, done);
    expect(lab.results()[3]).toContain("Found it.");
    expect(lab.entries().filter(({ kind }) => kind === "delivered")).toEqual([]);
    await lab.run("v", { calls: [tool("task_list"), tool("agent_list")] }, done);
    expect(lab.results().at(-2)).toContain("2 tasks:");
    expect(lab.results().at(-1)).toContain("2 subagents:");
  });

  it("[U2] no more than so many at once", async () => {
    const lab = new FamilyLab({ options: { maxRunning: 2 } });
    const open = gated(lab);
    lab.say("t", { calls: Array.from({ length: 4 }, () => background([found])) }, done);
    open();
    await lab.clock.pass(0);
    await lab.settle();
    const refused = lab.results().filter((text) => text.includes("at work already"));
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(lab.children.length).toBeLessThan(4);
  });
});

describe("agent_send", () => {
  it("[U3] goes on with the same conversation, by key or label, also after a restart", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [spawn([found], { label: "Scout" })] }, done);
    const key = keyIn(lab.results()[0]);
    lab.restart();
    const send = (more: object) =>
      tool("agent_send", { message: JSON.stringify([found]), ...more });
    await lab.run("u", { calls: [send({ agent_key: key }), send({ label: "scout" })] }, done);
    expect(
      lab
        .results()
        .slice(1)
        .map((text) => /status: \w+/.exec(text)?.[0]),
    ).toEqual(["status: ok", "status: ok"]);
    expect(lab.children).toHaveLength(1);
    expect(lab.entries(lab.children[0]).filter(({ kind }) => kind === "user")).toHaveLength(3);
    await lab.run(
      "v",
      { calls: [spawn([found], { label: "SCOUT" }), send({ label: "none" })] },
      done,
    );
    const [refused, unknown] = lab
      .results()
      .slice(-2)
      .toSorted((a, b) => a.length - b.length);
    expect(`${refused} ${unknown}`).toMatch(/has no subagent/);
    expect(`${refused} ${unknown}`).toMatch(/is in use/);
  });

  it("[U3] a persistent one is the same each time that it is spawned", async () => {
    const lab = new FamilyLab();
    const again = spawn([found], { agent_id: "keeper" });
    await lab.run("t", { calls: [again] }, { calls: [again] }, done);
    expect(lab.children).toHaveLength(1);
  });
});

describe("rights", () => {
  it("[A9] are those of the parent, also where they change meanwhile", async () => {
    const lab = new FamilyLab();
    lab.parent.setPermissions({ deny: [{ tool: "unsafe_thing" }] }, "ann");
    const steps = [{ calls: [work("c"), call("keyed_thing", "k")] }, found];
    await lab.run("t", { calls: [spawn(steps)] }, done);
    expect(lab.effects.runs).toEqual(["keyed_thing:k"]);
    const [child = ""] = lab.children;
    expect(() => lab.host(child).session.setPermissions({ mode: "BYPASS" }, "ann")).toThrow(
      /rights/,
    );
    const input = { kind: "message", content: [{ type: "text", text: "hi" }] } as const;
    await expect(
      lab.host(child).session.acceptWithAnswers({ key: "x", digest: "x", input }),
    ).rejects.toMatchObject({ code: "forbidden" });
  });

  it("[P1] a subagent plans while its parent does, and no longer", async () => {
    const lab = new FamilyLab();
    lab.parent.setPlan(true, "ann");
    await lab.run(
      "t",
      { calls: [spawn([{ calls: [work("c"), call("read_thing", "r")] }, found])] },
      done,
    );
    expect(lab.effects.runs).toEqual(["read_thing:r"]);
    const key = keyIn(lab.results()[0]);
    lab.parent.setPlan(false, "ann");
    const message = JSON.stringify([{ calls: [work("d")] }, found]);
    await lab.run("u", { calls: [tool("agent_send", { agent_key: key, message })] }, done);
    expect(lab.effects.runs).toEqual(["read_thing:r", "unsafe_thing:d"]);
  });

  it("[P1] [A9] one that is at work plans from when its parent does, with all that it may do otherwise", async () => {
    const lab = new FamilyLab();
    lab.pause = () => lab.clock.sleep(100);
    const steps = ["a", "b", "c", "d"].map((label) => ({ calls: [work(label)] }));
    lab.say("t", { calls: [spawn([...steps, found], { timeout_seconds: 0 })] }, done);
    while (!lab.effects.runs.includes("unsafe_thing:a")) await lab.clock.pass(50);
    lab.parent.setPlan(true, "ann");
    lab.parent.setPermissions({ allow: [{ tool: "unsafe_thing" }] }, "ann");
    const begun = lab.effects.runs.length;
    await lab.pass(60_000);
    expect(lab.effects.runs.length).toBeLessThanOrEqual(begun + 1);
    expect(lab.results(lab.children[0]).at(-1)).toContain("plan");
    expect(lab.parent.family.tasks()).toMatchObject([{ state: "completed" }]);
  });

  it("[A9] what it asks is asked in its parent's session, and answered there", async () => {
    const lab = new FamilyLab({ permissions: { mode: "DEFAULT" } });
    await lab.run("t", { calls: [spawn([{ calls: [work("c")] }, found])] }, done);
    const [asked] = lab.status().pending;
    expect(asked).toMatchObject({ name: "unsafe_thing", source: { agent: "helper" } });
    expect(lab.status().turns).toMatchObject([{ state: "waiting" }]);
    if (asked === undefined) throw new Error("nothing is asked");
    const { call, digest } = asked;
    await lab.answer({ call, digest, kind: "approve" });
    expect(lab.effects.runs).toEqual(["unsafe_thing:c"]);
    expect(lab.results()[0]).toContain("Found it.");
    expect(lab.status().pending).toEqual([]);
  });

  it("[A9] [U4] one in the background that asks is no result, and is told once it has gone on", async () => {
    const lab = new FamilyLab({ permissions: { mode: "DEFAULT" } });
    await lab.run(
      "t",
      { calls: [spawn([{ calls: [work("c")] }, found], { timeout_seconds: 0 })] },
      done,
    );
    await lab.run("u", { calls: [tool("task_list")] }, done);
    expect(lab.results().at(-1)).toContain("[awaiting_confirm]");
    const [asked] = lab.status().pending;
    await lab.answer({
      call: asked?.call ?? "",
      digest: asked?.digest ?? "",
      kind: "deny",
      reason: "No.",
    });
    expect(lab.effects.runs).toEqual([]);
    expect(lab.story()).toMatch(/delivered step end:completed$/);
  });
});

describe("the events of a subagent", () => {
  it("[U6] are in its parent's, with their source, in their order, each once", async () => {
    const lab = new FamilyLab();
    let written = "";
    void lab.parent.tail({ after: "0.0" })(async (text) => void (written += text));
    await lab.run("t", { calls: [spawn([{ calls: [work("c")] }, found])] }, done);
    const events = lab
      .entries()
      .flatMap((entry) => (entry.kind === "subagent" ? entry.events : []));
    const sources = lab
      .entries()
      .flatMap((entry) => (entry.kind === "subagent" ? entry.source : []));
    expect(new Set(sources)).toEqual(new Set(["main/helper"]));
    const ids = events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const types = events.map(({ event }) => event.type);
    expect(types[0]).toBe("turn-start");
    expect(types.filter((type) => type === "turn-start" || type === "turn-end")).toEqual([
      "turn-start",
      "turn-end",
    ]);
    expect(types.at(-1)).toBe("turn-end");
    expect(written).toContain('"type":"subagent"');
  });
});
