import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { type Answer, answerOf, listen } from "./model-answer.ts";
import { type Wire, wireContract } from "./model-wire-contract.ts";

export const scenarios = [
  "text",
  "tool-call",
  "parallel-tool-calls",
  "reasoning",
  "refusal",
  "length",
] as const;

/** A kind of answer that a model may be able to give. */
export type Scenario = (typeof scenarios)[number];

export type Asked = {
  readonly model: Model;
  /** Makes the model answer as the scenario says. */
  readonly request: ModelRequest;
  /** What is known of the answer beforehand. */
  readonly answer?: Partial<Answer>;
};

export type ModelFixture = {
  /** The scenarios that this model can give. `text` is among them. */
  readonly can: readonly Scenario[];
  readonly ask: (scenario: Scenario) => Asked;
  /** For a model that talks to a server: how to play that server. */
  readonly wire?: Wire;
  readonly start?: () => Promise<void>;
  readonly close?: () => Promise<void>;
};

/**
 * What every `Model` keeps, whatever it talks to. Runs in Node and in workerd: a server, where there is one,
 * is the fixture's. `makeFixture` is called once, while tests are collected; `start` and `close` frame them.
 */
export function modelContract(name: string, makeFixture: () => ModelFixture): void {
  describe(name, () => {
    const fixture = makeFixture();
    beforeAll(() => fixture.start?.());
    afterAll(() => fixture.close?.());

    for (const scenario of fixture.can) {
      it(`answers with ${scenario}, and the last event is finish, once`, async () => {
        const { model, request, answer = {} } = fixture.ask(scenario);
        const actual = await answerOf(model, request);
        checkKind(scenario, actual);
        expect(actual).toMatchObject(answer);
      });
    }

    it("has an id that says which model it is", () => {
      expect(fixture.ask("text").model.id).toMatch(/^[^\s:]+(:\S+)?$/);
    });

    it("does nothing before it is iterated", () => {
      const { model, request } = fixture.ask("text");
      expect(() => model.stream(request, AbortSignal.abort(new Error("never seen")))).not.toThrow();
    });

    it("answers the same model’s calls beside one another without mixing them", async () => {
      const { model, request } = fixture.ask("text");
      const alone = await answerOf(model, request);
      const both = await Promise.all([answerOf(model, request), answerOf(model, request)]);
      expect(both).toEqual([alone, alone]);
    });

    it("throws the reason of a signal that is aborted already", async () => {
      const { model, request } = fixture.ask("text");
      const reason = new Error("not wanted");
      expect(await listen(model, request, AbortSignal.abort(reason))).toEqual({
        batches: [],
        error: reason,
      });
    });

    it("throws the reason of an abort between two batches", async () => {
      const { model, request } = fixture.ask("text");
      const abort = new AbortController();
      const reason = new Error("not wanted any more");
      const batches = model.stream(request, abort.signal)[Symbol.asyncIterator]();
      await batches.next();
      abort.abort(reason);
      await expect(batches.next()).rejects.toBe(reason);
    });

    it("can be left in the middle", async () => {
      const { model, request } = fixture.ask("text");
      for await (const batch of model.stream(request, new AbortController().signal)) {
        expect(Array.isArray(batch)).toBe(true);
        break;
      }
    });

    if (fixture.wire) wireContract(fixture.wire);
  });
}

/** What an answer must have to be of its kind. */
function checkKind(scenario: Scenario, answer: Answer): void {
  switch (scenario) {
    case "text":
      expect(answer).toMatchObject({ reason: "stop", calls: [] });
      return expect(answer.text).not.toBe("");
    case "tool-call":
      expect(answer.calls).toHaveLength(1);
      return checkCalls(answer);
    case "parallel-tool-calls":
      expect(answer.calls.length).toBeGreaterThan(1);
      return checkCalls(answer);
    case "reasoning":
      expect(answer.reasoning).not.toBe("");
      return expect(answer.text).not.toBe("");
    case "refusal":
      return expect(answer.reason).toBe("refused");
    case "length":
      return expect(answer.reason).toBe("length");
  }
}

function checkCalls(answer: Answer): void {
  expect(answer.reason).toBe("tool-calls");
  for (const call of answer.calls) expect(JSON.parse(call.input)).toBeTypeOf("object");
}
