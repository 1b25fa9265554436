import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import type { AcceptRequest, CallAnswer, WhenBusy } from "../../src/shared/session-api.ts";
import { identified } from "../support/client.ts";
import { historyViolations, requestViolations } from "../support/message-invariants.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { type AskingLab, named, no, waitingForBoth, waitingLab, yes } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

const answered = (...list: readonly CallAnswer[]) => ({ answers: { by: "ann", list } });

/** The message `m`, with what was answered before it. */
function send(lab: AskingLab, more: Partial<AcceptRequest>) {
  const content = [{ type: "text", text: "and on" }] as const;
  const input = { kind: "message", content } as const;
  return lab.session.acceptWithAnswers({ key: "m", digest: "m", input, ...more });
}

const approve = (lab: AskingLab, label: string) => ({ ...named(lab.question(label)), ...yes });
const deny = (lab: AskingLab, label: string) => ({ ...named(lab.question(label)), ...no });

const ran = (...labels: readonly string[]) => labels.map((label) => `unsafe_thing:${label}`);

describe("answers that come with a message", () => {
  it.each<[WhenBusy, string[], string]>([
    [
      "queue",
      ran("one", "two"),
      "asked asked answered:approved answered:approved end:completed end:completed",
    ],
    ["steer", ran("one", "two"), "asked asked answered:approved answered:approved end:completed"],
    ["replace", [], "asked asked answered:approved answered:approved end:stopped end:completed"],
  ])("[A5, T8] are taken before it, where it is to %s", async (whenBusy, runs, facts) => {
    const lab = await waitingLab("one", "two");
    const listener = lab.listen();
    const answers = answered(approve(lab, "one"), approve(lab, "two"));
    expect((await send(lab, { whenBusy, ...answers })).isNew).toBe(true);
    await lab.settle();
    expect(lab.effects.runs).toEqual(runs);
    expect(lab.facts("asked", "answered", "end")).toBe(facts);
    expect(historyViolations(lab.entries())).toEqual([]);
    const replay = lab.listen();
    await lab.settle();
    const [seen, whole] = [listener, replay].map((one) => identified(one.frames()));
    expect(streamViolations(seen ?? [], whole ?? [])).toEqual([]);
    expect(requestViolations(lab.witness.requests.at(-1)?.messages ?? [])).toEqual([]);
  });

  it.each<[WhenBusy, string[]]>([
    ["queue", ran("one")],
    ["steer", ran("one")],
    ["replace", []],
  ])("[A5, A8] leave the other questions to it, where it is to %s", async (whenBusy, runs) => {
    const lab = await waitingLab("one", "two");
    await send(lab, { whenBusy, ...answered(approve(lab, "one")) });
    await lab.settle();
    expect(lab.effects.runs).toEqual(runs);
    expect(lab.facts("answered")).toBe("answered:approved answered:denied");
    expect(lab.pending()).toEqual([]);
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it.each<[WhenBusy, string]>([
    ["queue", "end:completed end:completed"],
    ["steer", "end:completed"],
    ["replace", "end:stopped end:completed"],
  ])("[A5] have the turn go on where they leave none, where it is to %s", async (busy, ends) => {
    const lab = await waitingLab("one", "two");
    await send(lab, { whenBusy: busy, ...answered(deny(lab, "one"), deny(lab, "two")) });
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("answered", "end")).toBe(`answered:denied answered:denied ${ends}`);
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[A5] leave a client's tool waiting, with the message in line", async () => {
    const lab = await waitingForBoth();
    const { turn } = await send(lab, answered(deny(lab, "b")));
    await lab.settle();
    expect(turn.state).toBe("queued");
    expect(lab.pending().map(({ name }) => name)).toEqual(["locate"]);
    const located = {
      ...named(lab.question("a")),
      kind: "result",
      output: "x",
      isError: false,
    } as const;
    expect(await lab.answer(located)).toBe("taken");
    expect(lab.facts("end")).toBe("end:completed end:completed");
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[A5] are not taken where they are not for what is asked, or were given before", async () => {
    const lab = await waitingLab("one", "two");
    const [one, two] = [approve(lab, "one"), approve(lab, "two")];
    await lab.answer({ ...one, ...no });
    const other = { ...two, digest: "0".repeat(64) };
    const refused = { ...two, kind: "result", output: "x", isError: false } as const;
    const unknown = { ...two, call: "call_9_9" };
    await send(lab, answered(one, other, refused, unknown));
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("answered")).toBe("answered:denied answered:denied");
    expect(lab.facts("end")).toBe("end:stopped end:completed");
  });
});

describe("answers that come with a message that is refused", () => {
  it.each<[string, Partial<AcceptRequest>, ErrorCode]>([
    ["for what the session never said", { claimed: ["never.reply"] }, "invalid"],
    ["for its id, which is another one's", { key: "t" }, "key_reused"],
    [
      "for its size",
      { input: { kind: "message", content: [{ type: "text", text: "x".repeat(2_000_000) }] } },
      "too_large",
    ],
    ["for what it answers anew", { input: { kind: "regenerate" }, whenBusy: "steer" }, "conflict"],
  ])("[A5, T1] are not taken: %s", async (_why, more, error) => {
    const lab = await waitingLab("one", "two");
    const before = { entries: lab.entries(), pending: lab.pending() };
    await expect(send(lab, { ...more, ...answered(approve(lab, "one")) })).rejects.toEqual(
      code(error),
    );
    await lab.settle();
    expect({ entries: lab.entries(), pending: lab.pending() }).toEqual(before);
    expect(lab.effects.runs).toEqual([]);
    expect(await lab.decide("one", yes)).toBe("taken");
    expect(lab.effects.runs).toEqual(ran("one"));
  });

  it.each(["commit:accept:before", "commit:accept:after"])(
    "[A5, T1] are in with the message or not at all, when the object ends at %s",
    async (point) => {
      const lab = await waitingLab("one");
      const answers = answered(approve(lab, "one"));
      lab.crashAt((name) => name === point);
      await expect(send(lab, answers)).rejects.toThrow("crash");
      const isIn = point.endsWith("after");
      expect(lab.entries().some(({ kind }) => kind === "answered")).toBe(isIn);
      expect(lab.sql.all("SELECT 1 FROM turn WHERE id = 'm'")).toHaveLength(isIn ? 1 : 0);
      await lab.recover();
      expect((await send(lab, answers)).isNew).toBe(!isIn);
      await lab.settle();
      expect(lab.effects.runs).toEqual(ran("one"));
      expect(lab.facts("answered", "end")).toBe("answered:approved end:completed end:completed");
      expect(historyViolations(lab.entries())).toEqual([]);
    },
  );
});
