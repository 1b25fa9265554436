import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import { refuseLargeRows } from "../support/large-rows.ts";
import { asking, AskingLab, call, waitingForBoth, waitingLab } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

const regenerate = { kind: "regenerate" } as const;
const hanging = [{ text: "so far", batches: 1, hang: true }] as const;
const choices = ["queue", "steer", "replace"] as const;

const rows = (lab: AskingLab) => lab.sql.all("SELECT id FROM turn");

describe("what may wait in line", () => {
  it.each(choices)(
    "[T8] is 20 messages: one more (%s) is refused and stores nothing",
    async (whenBusy) => {
      const lab = new AskingLab();
      lab.say("t", hanging);
      await lab.settle();
      for (let n = 0; n < 20; n++) lab.send(`q${n}`, "x");
      const story = lab.story();
      expect(() => lab.send("more", "x", { whenBusy })).toThrow(code("too_many"));
      expect(lab.story()).toBe(story);
      expect(rows(lab)).toHaveLength(21);
      expect(lab.send("q7", "x", { whenBusy })).toMatchObject({ isNew: false });
    },
  );

  it("[T8] is 2,000,000 characters together", async () => {
    const lab = new AskingLab();
    lab.say("t", hanging);
    await lab.settle();
    const text = "x".repeat(500_000);
    for (let n = 0; n < 4; n++) lab.send(`q${n}`, text);
    expect(() => lab.send("more", "x")).toThrow(code("too_many"));
    expect(rows(lab)).toHaveLength(5);
    lab.session.stop();
    await lab.settle();
    expect(lab.send("more", "x")).toMatchObject({ isNew: true });
  });
});

describe("a message that no row holds", () => {
  it.each(choices)("[T8] is refused in words while a turn runs, with %s too", async (whenBusy) => {
    const lab = new AskingLab();
    lab.say("t", hanging);
    await lab.settle();
    refuseLargeRows(lab.sql);
    expect(() => lab.send("big", "x".repeat(2_500_000), { whenBusy })).toThrow(code("too_large"));
    expect(rows(lab)).toEqual([{ id: "t" }]);
    expect(lab.story()).toBe("user");
  });
});

describe("asking for another answer to messages", () => {
  it("[H1] that fill more than a row together is refused, and says what to do instead", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    lab.say("t", [{ calls: [call("read_thing", "slow")] }, { text: "never" }]);
    await lab.settle();
    for (const key of ["one", "two"]) lab.send(key, "x".repeat(990_000), { whenBusy: "steer" });
    gate.resolve();
    await lab.settle();
    expect(lab.facts("steered", "end")).toBe("steered steered end:completed");
    const story = lab.story();
    expect(() => lab.say("r", regenerate)).toThrow(
      expect.objectContaining({
        code: "too_large",
        message: expect.stringContaining("Send a new message instead."),
      }),
    );
    expect(lab.story()).toBe(story);
    lab.send("next", "hi");
    await lab.settle();
    expect(lab.facts("end")).toBe("end:completed end:completed");
  });
});

describe("asking for another answer while a turn is not ended", () => {
  it("[T8] is refused while it runs, and what it waits for is not touched", async () => {
    const lab = new AskingLab();
    lab.say("t", hanging);
    await lab.settle();
    for (const whenBusy of ["queue", "steer"] as const)
      expect(() =>
        lab.session.accept({ key: "r", digest: "r", input: regenerate, whenBusy }),
      ).toThrow(code("conflict"));
    const both = await waitingForBoth();
    const story = both.story();
    expect(() => both.say("r", regenerate)).toThrow(code("conflict"));
    expect(both.story()).toBe(story);
  });

  it.each([
    ["waits for approval only", asking("one"), "queue"],
    ["is replaced", hanging, "replace"],
  ] as const)(
    "[A8] stops a turn that %s, and answers its message anew",
    async (_, what, whenBusy) => {
      const lab = new AskingLab();
      lab.say("t", what);
      await lab.settle();
      lab.session.accept({ key: "r", digest: "r", input: regenerate, whenBusy });
      lab.session.stop("r");
      await lab.settle();
      const [question, answer, ...more] = lab.session.history({ limit: 5 }).messages;
      expect([question?.turn, answer?.turn, more]).toEqual(["r", "r", []]);
      expect(lab.facts("user", "end")).toBe("user end:stopped user end:stopped");
      expect(lab.effects.runs).toEqual([]);
    },
  );

  it("[T4] is refused where others wait in line: theirs is the newest message", async () => {
    const lab = new AskingLab();
    lab.say("t", asking("one"));
    lab.send("q", "in line");
    await lab.settle();
    const story = lab.story();
    expect(() => lab.say("r", regenerate)).toThrow(code("conflict"));
    expect(lab.story()).toBe(story);
  });

  it("[T6] loads its context whole, in an object that just woke", async () => {
    const lab = await waitingLab("one");
    lab.again();
    lab.say("r", regenerate);
    await lab.settle();
    const journal = lab.entries().map(({ seq }) => seq);
    expect(new Set(journal).size).toBe(journal.length);
    const request = lab.witness.requests.at(-1)?.messages ?? [];
    expect(request.map(({ role }) => role)).toEqual(["user"]);
  });
});
