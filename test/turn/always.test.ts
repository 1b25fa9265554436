import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import { asking, AskingLab, call, named, no, waitingLab, yes } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

/** Everything that is stored. */
const stored = (lab: AskingLab) =>
  JSON.stringify(
    ["turn", "journal", "state", "job"].map((table) => lab.sql.all(`SELECT * FROM ${table}`)),
  );

describe("an answer for always", () => {
  it("[A7] keeps its rule for the next turn, and says that it did", async () => {
    const lab = await waitingLab("one");
    const { suggested } = lab.question("one");
    expect(suggested.length).toBeGreaterThan(0);
    await lab.decide("one", { ...yes, always: suggested.slice(0, 1) });
    expect(lab.session.permissions().session.allow).toEqual(suggested.slice(0, 1));
    expect(lab.entries()).toContainEqual(
      expect.objectContaining({ kind: "permissions", by: "user:ann", turn: "" }),
    );
    lab.again();
    lab.say("next", asking("two"));
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:one", "unsafe_thing:two"]);
    expect(lab.facts("asked")).toBe("asked");
  });

  it("[A7] holds for the other calls that wait: they run, or are denied", async () => {
    const lab = await waitingLab("one", "two");
    await lab.decide("one", { ...yes, always: true });
    expect(lab.effects.runs).toEqual(["unsafe_thing:one", "unsafe_thing:two"]);
    expect(lab.facts("answered", "end")).toBe("answered:approved answered:approved end:completed");
    const other = await waitingLab("one", "two");
    await other.decide("one", { ...no, always: [{ tool: "unsafe_*" }] });
    expect(other.effects.runs).toEqual([]);
    expect(other.facts("answered", "result", "end")).toBe(
      "answered:denied result:denied answered:denied result:denied end:completed",
    );
    expect(other.session.permissions().session.deny).toEqual([{ tool: "unsafe_*" }]);
  });

  it("[A7] holds for them also while another call of their step runs", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const calls = [call("unsafe_thing", "one"), call("unsafe_thing", "two"), call("read_thing")];
    lab.say("t", [{ calls }, { text: "ok" }]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    await lab.decide("one", { ...no, always: [{ tool: "unsafe_thing" }] });
    gate.resolve();
    await lab.settle();
    expect(lab.facts("answered", "result", "waiting", "end")).toBe(
      "answered:denied result:denied result:success answered:denied result:denied end:completed",
    );
  });

  it("[A7] is stored once however often it is said, also where the operator's rules win", async () => {
    const lab = new AskingLab({ permissions: { ask: [{ tool: "unsafe_thing" }] } });
    lab.say("t", asking("one", "two"));
    await lab.settle();
    const always = [{ tool: "unsafe_thing" }, { tool: "unsafe_thing" }];
    await lab.decide("one", { ...yes, always });
    expect(lab.pending()).toHaveLength(1);
    await lab.decide("two", { ...yes, always });
    expect(lab.session.permissions().session.allow).toEqual([{ tool: "unsafe_thing" }]);
    expect(lab.facts("permissions")).toBe("permissions");
  });

  it("[H1] with what is no rule, or with more than a session keeps, is refused whole", async () => {
    const lab = await waitingLab("one");
    const rules = Array.from({ length: 100 }, (_, at) => ({ tool: `other_${at}` }));
    lab.session.setPermissions({ allow: rules }, "ann");
    await lab.settle();
    const before = stored(lab);
    const one = named(lab.question("one"));
    for (const always of [[{ tool: "unsafe_thing" }], [{ tool: "" }], [{ path: "x" } as never]])
      await expect(lab.session.answer([{ ...one, ...yes, always }], "ann")).rejects.toThrow(
        code("invalid"),
      );
    expect(stored(lab)).toBe(before);
    expect(lab.session.permissions().session.allow).toEqual(rules);
    expect(await lab.answer({ ...one, ...yes })).toBe("taken");
  });

  it("[A7] needs a rule to keep where none is suggested", async () => {
    const lab = new AskingLab({ permissions: { ask: [{ tool: "unsafe_thing" }] } });
    lab.say("t", asking("one"));
    await lab.settle();
    const one = named(lab.question("one"));
    await expect(lab.session.answer([{ ...one, ...yes, always: true }], "ann")).rejects.toThrow(
      code("invalid"),
    );
  });
});
