import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import type { CallAnswer } from "../../src/shared/session-api.ts";
import { asking, AskingLab, call, named, no, waitingLab, yes } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

/** Everything that is stored. */
const stored = (lab: AskingLab) =>
  JSON.stringify(
    ["turn", "journal", "state", "job"].map((table) => lab.sql.all(`SELECT * FROM ${table}`)),
  );

describe("answers to the same question", () => {
  it("[A5] count once: the same one again is repeated, another is stale, also after a restart and in later turns", async () => {
    const lab = await waitingLab("one");
    const question = named(lab.question("one"));
    const outcomes = () =>
      Promise.all([lab.answer({ ...question, ...yes }), lab.answer({ ...question, ...no })]);
    expect(await lab.answer({ ...question, ...yes })).toBe("taken");
    const before = stored(lab);
    expect(await outcomes()).toEqual(["repeated", "stale"]);
    lab.again();
    expect(await outcomes()).toEqual(["repeated", "stale"]);
    expect(stored(lab)).toBe(before);
    lab.say("next", "hi");
    await lab.settle();
    expect(await outcomes()).toEqual(["repeated", "stale"]);
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A5] say what counts", async () => {
    const lab = await waitingLab("one", "two");
    const [one, two] = [lab.question("one"), lab.question("two")].map(named);
    if (!one || !two) throw new Error("two calls wait");
    const { answers, turn } = await lab.session.answer(
      [
        { ...one, ...no },
        { ...one, ...yes },
        { ...two, digest: "0", ...yes },
      ],
      "ann",
    );
    expect(answers).toEqual([
      { call: one.call, outcome: "taken", answer: "denied" },
      { call: one.call, outcome: "stale", answer: "denied" },
      { call: two.call, outcome: "stale", answer: null },
    ]);
    expect(turn).toMatchObject({ turn: "t", state: "waiting" });
  });

  it("[A5] twenty at once for each of 200 calls run each tool once", async () => {
    const count = 200;
    let [taken, repeated, stale, runs] = [0, 0, 0, 0];
    for (let round = 0; round < count / 10; round++) {
      const labels = Array.from({ length: 10 }, (_, at) => `${round}-${at}`);
      const lab = await waitingLab(...labels);
      const questions = labels.map((label) => named(lab.question(label)));
      const answers = questions.flatMap((question) =>
        Array.from({ length: 20 }, (_, at) => ({ question, answer: at === 7 ? no : yes })),
      );
      const outcomes = await Promise.all(
        answers.map(async ({ question, answer }) => {
          const { answers: own } = await lab.session.answer([{ ...question, ...answer }], "ann");
          return own[0]?.outcome;
        }),
      );
      await lab.settle();
      taken += outcomes.filter((outcome) => outcome === "taken").length;
      repeated += outcomes.filter((outcome) => outcome === "repeated").length;
      stale += outcomes.filter((outcome) => outcome === "stale").length;
      runs += lab.effects.runs.length;
      expect(new Set(lab.effects.runs).size).toBe(lab.effects.runs.length);
      expect(lab.facts("end")).toBe("end:completed");
    }
    console.log(`20 answers to each of ${count} calls: ${taken} taken, ${runs} runs`);
    expect({ taken, repeated, stale, runs }).toEqual({
      taken: count,
      repeated: 18 * count,
      stale: count,
      runs: count,
    });
  });
});

describe("an answer", () => {
  it("[H1] to a call that was never asked about does not exist, and nothing is stored", async () => {
    const lab = await waitingLab("one");
    const before = stored(lab);
    const { digest } = lab.question("one");
    for (const id of ["call_2_9", "call_9_0", "call_0_0", "call_1_0", "", "x", "call_2_0 "]) {
      const answer = lab.session.answer([{ call: id, digest, ...yes }], "ann");
      await expect(answer, id).rejects.toThrow(code("not_found"));
    }
    await expect(lab.session.answer([], "ann")).rejects.toThrow(code("invalid"));
    expect(stored(lab)).toBe(before);
  });

  it("[A4] for another digest does nothing", async () => {
    const lab = await waitingLab("one");
    const before = stored(lab);
    const { call: id } = lab.question("one");
    expect(await lab.answer({ call: id, digest: "0".repeat(64), ...yes })).toBe("stale");
    expect(stored(lab)).toBe(before);
    expect(lab.effects.runs).toEqual([]);
  });

  it("[A4] with other arguments runs those, under a digest of their own, and shows them", async () => {
    const lab = await waitingLab("one");
    const { digest } = lab.question("one");
    await lab.decide("one", { ...yes, input: { label: "edited" } });
    expect(lab.effects.runs).toEqual(["unsafe_thing:edited"]);
    const answered = lab.entries().find(({ kind }) => kind === "answered");
    expect(answered).toMatchObject({ answer: "approved", input: '{"label":"edited"}' });
    expect(answered && "digest" in answered && answered.digest).not.toBe(digest);
    const parts = lab.session.history({ limit: 5 }).messages.at(-1);
    expect(JSON.stringify(parts)).toContain('{\\"label\\":\\"edited\\"}');
  });

  it("[A4] with the arguments that were asked about is no edit", async () => {
    const lab = await waitingLab("one");
    await lab.decide("one", { ...yes, input: { label: "one" } });
    expect(lab.entries().find(({ kind }) => kind === "answered")).not.toHaveProperty("input");
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A4] with arguments that rules forbid runs nothing", async () => {
    const rule = { tool: "unsafe_thing", argument: { name: "label", value: "evil" } };
    const lab = new AskingLab({ permissions: { deny: [rule] } });
    lab.say("t", asking("one"));
    await lab.settle();
    await lab.decide("one", { ...yes, input: { label: "evil" } });
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("result", "end")).toBe("result:denied end:completed");
  });

  it("[A4] with other arguments is asked again when the tool changed meanwhile, about those", async () => {
    const lab = await waitingLab("one");
    lab.restartWith({ ask: [{ tool: "nothing" }] });
    const before = named(lab.question("one"));
    const changed = lab
      .ownTools()
      .map((tool) => (tool.name === "unsafe_thing" ? { ...tool, description: "New." } : tool));
    lab.onPoint = (name) => {
      if (name !== "commit:answer:after") return;
      lab.onPoint = () => {};
      throw new Error("crash");
    };
    const edited = { ...before, ...yes, input: { label: "edited" } };
    await expect(lab.answer(edited)).rejects.toThrow("crash");
    lab.restart({ tools: changed, permissions: defaultPermissions });
    lab.session.current();
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    await lab.decide("edited", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:edited"]);
  });

  it("[X5, H1] with arguments that the tool refuses is refused whole, and nothing is stored", async () => {
    const lab = await waitingLab("one", "two");
    const before = stored(lab);
    const [one, two] = [named(lab.question("one")), named(lab.question("two"))];
    for (const input of [{ label: 7 }, [] as never, "x" as never]) {
      const answers = [
        { ...two, ...yes },
        { ...one, ...yes, input },
      ];
      await expect(lab.session.answer(answers, "ann")).rejects.toThrow(code("invalid"));
    }
    expect(stored(lab)).toBe(before);
    expect(await lab.answer({ ...one, ...yes })).toBe("taken");
  });

  it("[X5, H1] with arguments that the tool refuses tells their author, and not the model, what to mend", async () => {
    const lab = await waitingLab("one");
    const answer = { ...named(lab.question("one")), ...yes, input: { label: 7 } };
    await expect(lab.session.answer([answer], "ann")).rejects.toThrow(
      /label: expected a string, got 7\nCorrect them and answer again: the call still waits\.$/,
    );
  });

  it("[T13] of the wrong kind is refused: a result for an approval, an approval for a client's call", async () => {
    const lab = new AskingLab();
    lab.say("t", [{ calls: [call("locate", "a"), call("unsafe_thing", "b")] }, { text: "ok" }]);
    await lab.settle();
    const before = stored(lab);
    const [a, b] = [named(lab.question("a")), named(lab.question("b"))];
    const wrong: CallAnswer[] = [
      { ...b, kind: "result", output: "forged", isError: false },
      { ...b, kind: "result", output: "forged", isError: true },
      { ...a, ...yes },
      { ...a, kind: "result", output: 7, isError: false },
    ];
    for (const answer of wrong)
      await expect(lab.session.answer([answer], "ann")).rejects.toThrow(code("invalid"));
    expect(stored(lab)).toBe(before);
    expect(await lab.answer({ ...a, ...no })).toBe("taken");
    expect(lab.facts("answered", "result")).toBe("answered:denied result:denied");
  });

  it("[A5] with a client's result counts once: the same is repeated, another is stale", async () => {
    const lab = new AskingLab();
    lab.say("t", [{ calls: [call("locate", "a")] }, { text: "ok" }]);
    await lab.settle();
    const a = named(lab.question("a"));
    const result = (output: string) => ({ ...a, kind: "result", output, isError: false }) as const;
    expect(await lab.answer(result("Ulm"))).toBe("taken");
    expect(await lab.answer(result("Ulm"))).toBe("repeated");
    expect(await lab.answer(result("Bonn"))).toBe("stale");
    expect(await lab.answer({ ...a, ...no })).toBe("stale");
  });

  it("[A5] that has to look at the tools is not taken when another came meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    const slow = {
      name: "slow",
      tools: async () => {
        if (isSlow) await gate.promise;
        return [];
      },
    };
    const lab = new AskingLab({ capabilities: [slow] });
    lab.say("t", asking("one"));
    await lab.settle();
    const one = named(lab.question("one"));
    isSlow = true;
    const edited = lab.session.answer([{ ...one, ...yes, input: { label: "late" } }], "ann");
    isSlow = false;
    expect(await lab.answer({ ...one, ...no })).toBe("taken");
    gate.resolve();
    expect((await edited).answers).toMatchObject([{ outcome: "stale", answer: "denied" }]);
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
  });

  it("[T2] to a session that is deleted meanwhile is refused", async () => {
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    const slow = {
      name: "slow",
      tools: async () => {
        if (isSlow) await gate.promise;
        return [];
      },
    };
    const lab = new AskingLab({ capabilities: [slow] });
    lab.say("t", asking("one"));
    await lab.settle();
    const one = named(lab.question("one"));
    isSlow = true;
    const edited = lab.session.answer([{ ...one, ...yes, input: { label: "late" } }], "ann");
    await lab.session.remove();
    gate.resolve();
    await expect(edited).rejects.toThrow(code("gone"));
  });

  it("[T4] from an object that another has replaced changes nothing", async () => {
    const lab = await waitingLab("one", "two");
    const old = lab.session;
    const [one, two] = [named(lab.question("one")), named(lab.question("two"))];
    lab.again();
    expect(await lab.answer({ ...one, ...no })).toBe("taken");
    const before = stored(lab);
    for (const answer of [
      { ...one, ...yes },
      { ...two, ...yes },
    ])
      await expect(old.answer([answer], "ann")).rejects.toThrow(code("overloaded"));
    await lab.settle();
    expect(stored(lab)).toBe(before);
    expect(lab.effects.runs).toEqual([]);
  });
});
