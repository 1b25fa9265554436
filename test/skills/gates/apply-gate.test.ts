import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import type { GateDecision } from "../../../src/skills/config.ts";
import { applyGate } from "../../../src/skills/gates/apply-gate.ts";
import { gatedText } from "../../../src/skills/gates/gated-text.ts";
import { candidate, gate, GateDesk } from "./candidates.ts";

const apply = (desk: GateDesk, said: GateDecision, draft = candidate()) =>
  applyGate(
    gate(() => Promise.resolve(said)),
    desk.skills,
    draft,
    desk.run,
  );

describe("a gate", () => {
  it("is told the draft, whose it is, and the deployment's bindings", async () => {
    const desk = new GateDesk();
    const draft = candidate();
    const told: unknown[] = [];
    const asking = gate(async (seen, { viewer, binding }) => {
      told.push(seen, viewer, binding("X"));
      return { kind: "ask" };
    });
    const gated = await applyGate(asking, desk.skills, draft, {
      ...desk.run,
      binding: (name) => name,
    });
    expect(gated).toEqual({ kind: "waits" });
    expect(told).toEqual([draft, desk.run.viewer, "X"]);
    expect(desk.decided).toEqual([]);
  });

  it("[K5] promotes what a person has sent, bound to its hash, by its own name and once", async () => {
    const desk = new GateDesk();
    const live = { directory: "skills/pdf" };
    const run = { ...desk.run, live };
    const approving = gate(() => Promise.resolve({ kind: "approve" }));
    expect(await applyGate(approving, desk.skills, candidate(), run)).toMatchObject({
      kind: "promoted",
    });
    expect(desk.decided).toEqual([
      {
        name: "pdf",
        hash: "a".repeat(64),
        decision: { kind: "promote", environments: ["prod"] },
        live,
        by: "gate:test",
        op: "call-1:gate:promote",
      },
    ]);
    await apply(desk, { kind: "approve", environments: ["staging"] });
    expect(desk.decided[1]?.decision).toEqual({ kind: "promote", environments: ["staging"] });
  });

  it("[K5] never promotes what the agent wrote", async () => {
    const desk = new GateDesk();
    const draft = candidate({ origin: "agent", trust: "agent" });
    expect(await apply(desk, { kind: "approve" }, draft)).toEqual({ kind: "waits" });
    expect(desk.decided).toEqual([]);
  });

  it("[K6] rejects and puts off whatever it likes, with its reason", async () => {
    const desk = new GateDesk();
    const draft = candidate({ origin: "agent" });
    const rejected = await apply(desk, { kind: "reject", reason: "no" }, draft);
    const deferred = await apply(desk, { kind: "defer", afterMs: 60_000, reason: "later" }, draft);
    const until = desk.clock.now() + 60_000;
    expect(desk.decided.map(({ decision, by }) => [decision, by])).toEqual([
      [{ kind: "reject", reason: "no" }, "gate:test"],
      [{ kind: "defer", until, reason: "later" }, "gate:test"],
    ]);
    expect(gatedText(rejected)).toBe("The gate test has rejected it, and it was put away: no");
    expect(gatedText(deferred)).toContain(`until ${new Date(until).toISOString()}: later`);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 400 * 86_400_000])(
    "that puts off by %d ms is not heeded",
    async (afterMs) => {
      const desk = new GateDesk();
      expect(await apply(desk, { kind: "defer", afterMs })).toEqual({ kind: "waits" });
      expect([desk.decided, desk.log.length]).toEqual([[], 1]);
    },
  );

  it("that throws, at once or later, leaves the draft to a person, and the log says so", async () => {
    for (const decide of [
      () => Promise.reject(new TypeError("broken")),
      () => {
        throw new TypeError("broken");
      },
    ]) {
      const desk = new GateDesk();
      const gated = await applyGate(gate(decide), desk.skills, candidate(), desk.run);
      expect(gated).toEqual({ kind: "waits" });
      expect(desk.log.join()).toMatch(/^error skill_gate_failed .*"gate":"test".*broken/);
    }
  });

  it("that has not decided after 10 s leaves it to a person, too, and is not heeded later", async () => {
    const desk = new GateDesk();
    const { promise, resolve } = Promise.withResolvers<GateDecision>();
    const gated = applyGate(
      gate(() => promise),
      desk.skills,
      candidate(),
      desk.run,
    );
    await desk.clock.pass(9_999);
    expect(desk.clock.sleeping).toBe(1);
    await desk.clock.pass(1);
    expect(await gated).toEqual({ kind: "waits" });
    resolve({ kind: "approve" });
    await desk.clock.pass(0);
    expect([desk.decided, desk.clock.sleeping]).toEqual([[], 0]);
    expect(desk.log.join()).toContain("did not decide in 10 s");
  });

  it("that decides in time leaves nobody waiting", async () => {
    const desk = new GateDesk();
    await apply(desk, { kind: "ask" });
    await desk.clock.pass(0);
    expect(desk.clock.sleeping).toBe(0);
  });

  it("[K5] whose decision comes too late for this draft changes nothing", async () => {
    const desk = new GateDesk();
    desk.decide = () => Promise.reject(new CarrelError("conflict", "It is another one by now."));
    expect(await apply(desk, { kind: "approve" })).toEqual({ kind: "waits" });
    expect(desk.log.join()).toContain("another one by now");
  });

  it("that there is none of has everything wait", async () => {
    const desk = new GateDesk();
    expect(await applyGate(null, desk.skills, candidate(), desk.run)).toEqual({ kind: "waits" });
  });
});
