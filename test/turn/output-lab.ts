import type { EntryOf } from "../../src/session/entries.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

export const schema = {
  type: "object",
  properties: { name: { type: "string" }, people: { type: "integer" } },
  required: ["name", "people"],
  additionalProperties: false,
};

export const city = { name: "Ulm", people: 126_405 };

export const question = {
  kind: "message",
  content: [{ type: "text", text: "Which city?" }],
} as const;

/** One answer of the model. */
type Said =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly input: string }[] };

export const text = (said: string) => ({ text: said });
export const call = (input: string) => ({ calls: [{ name: "generate_response", input }] });
export const good = call(JSON.stringify(city));

/** Says these one after another in each turn, whatever is asked: how often the turn was answered decides, so recovery gets the same. */
function modelOf(answers: readonly Said[], requests: ModelRequest[]): Model {
  return {
    id: "lab:fixed",
    async *stream(request) {
      requests.push(request);
      const from = request.messages.findLastIndex(
        (message) =>
          message.role === "user" && !JSON.stringify(message).includes("Your answer does"),
      );
      const count = request.messages.slice(from).filter(({ role }) => role === "assistant").length;
      yield [...eventsOf(answers[count] ?? { text: "Nothing more." })];
    },
  };
}

function* eventsOf(said: Said): Iterable<ModelEvent> {
  const usage = { input: 10, output: 5, cached: 0 };
  if ("text" in said) yield { type: "text", text: said.text };
  else
    for (const [index, { name, input }] of said.calls.entries()) {
      yield { type: "tool-call", index, name };
      yield { type: "tool-input", index, text: input };
    }
  yield { type: "finish", reason: "text" in said ? "stop" : "tool-calls", usage };
}

/** A session whose model gives these answers, and that can end at any point. */
export class OutputLab extends SessionLab {
  readonly requests: ModelRequest[];

  constructor(answers: readonly Said[], options: LabOptions = {}) {
    const requests: ModelRequest[] = [];
    super({ ...options, model: modelOf(answers, requests) });
    this.requests = requests;
  }

  /** Asks for an answer of this shape. Safe to repeat. */
  async ask(asked: Readonly<Record<string, unknown>> = schema): Promise<void> {
    this.say("t", { ...question, output: { schema: asked } });
    await this.settle();
  }

  /** The end of the newest turn. */
  end(): EntryOf<"end"> {
    const last = this.entries().at(-1);
    if (last?.kind !== "end") throw new Error(`not ended: ${this.story()}`);
    return last;
  }

  /** Another object takes up what is open, and the message is sent again. */
  async goOn(): Promise<void> {
    this.restart();
    await this.ask();
  }

  async countPoints(work: () => Promise<void>): Promise<number> {
    let points = 0;
    this.onPoint = () => void (points += 1);
    await work();
    this.onPoint = () => {};
    return points;
  }

  /** The object ends at the so-manieth point of what it does. */
  async dieAt(point: number, work: () => Promise<void>): Promise<void> {
    let points = 0;
    this.onPoint = () => {
      points += 1;
      if (points >= point) throw new Error("the object ended");
    };
    await work().catch(() => {});
    await this.settle();
    this.onPoint = () => {};
  }
}
