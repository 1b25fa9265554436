import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameReader } from "../../src/http/event-frames.ts";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { toUiMessages } from "../../src/http/ui-messages.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import type { TailRequest } from "../../src/shared/session-api.ts";
import type { Session } from "../../src/turn/session.ts";
import { messageFrom } from "../support/chat-client.ts";
import { createNodeSession } from "../support/node-session.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";

const text = fc.string({ maxLength: 12, unit: "grapheme" });

const call = fc.record({
  name: fc.constantFrom("read_thing", "keyed_thing", "probed_thing", "unsafe_thing", "no_thing"),
  input: fc.constantFrom("", "{}", '{"fail":true}', '{"label":"é"}', '{"label":', "[1]", '"x"'),
});

const said = fc.record(
  {
    text,
    reasoning: text.filter((value) => value !== ""),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const failing = fc.record({
  text,
  fail: fc.constantFrom("unavailable", "model_auth", "model_refused"),
  failTimes: fc.integer({ min: 1, max: 3 }),
});

const step: fc.Arbitrary<ScriptedStep> = fc.oneof(
  { weight: 5, arbitrary: said },
  { weight: 1, arbitrary: failing },
);

/** What happens before the `at`-th batch of the model, or return of a tool, after the event before it. */
const incident = fc.record({
  at: fc.integer({ min: 1, max: 12 }),
  what: fc.constantFrom("crash", "stop", "crash, then stop"),
});

type Incident = { readonly at: number; readonly what: string };

/** One turn of a session whose object may die and come back; one reader follows it over all its connections. */
class Drama {
  readonly #sql = nodeSql(openDatabase());
  readonly #incidents: Incident[];
  session: Session;
  #pauses = 0;
  #crashed = Promise.withResolvers<"crashed">();

  constructor(incidents: readonly Incident[]) {
    this.#incidents = [...incidents];
    this.session = createNodeSession(this.#sql, this.#pause);
  }

  /** Gives what the reader saw. */
  async play(steps: readonly ScriptedStep[]): Promise<IdentifiedEvent[]> {
    const content = [{ type: "text", text: script(...steps) }] as const;
    this.session.accept({ key: "t", digest: "d", input: { kind: "message", content } });
    const seen: IdentifiedEvent[] = [];
    for (;;) {
      const { id: after } = seen.at(-1) ?? {};
      const end = this.read(after === undefined ? {} : { after }, seen);
      if ((await Promise.race([end, this.#crashed.promise])) !== "crashed") return seen;
      this.#crashed = Promise.withResolvers();
      this.session = createNodeSession(this.#sql, this.#pause);
      if (this.#incidents.shift()?.what === "crash, then stop") this.session.stop();
    }
  }

  async read(request: TailRequest, into: IdentifiedEvent[] = []): Promise<IdentifiedEvent[]> {
    const frames = new FrameReader();
    const encoder = new TextEncoder();
    await this.session.tail({ until: "t", ...request })(async (written) => {
      await Promise.resolve();
      into.push(...frames.read(encoder.encode(written)).events);
    });
    return into;
  }

  #pause = (): Promise<void> => {
    const [next] = this.#incidents;
    if (++this.#pauses !== next?.at) return Promise.resolve();
    this.#pauses = 0;
    if (next.what === "stop") {
      this.#incidents.shift();
      this.session.stop();
      return Promise.resolve();
    }
    this.#crashed.resolve("crashed");
    return new Promise(() => {});
  };
}

function build(events: readonly IdentifiedEvent[]) {
  const mapper = new UiMessageMapper(new Set());
  return messageFrom(events.flatMap((event) => mapper.take(event)));
}

describe("a message that an AI SDK client builds", () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 4 });

  it("[S1] [S2] is the same live, replayed and from the history, whatever befalls its turn", async () => {
    const property = fc.asyncProperty(
      steps,
      fc.array(incident, { maxLength: 3 }),
      async (script, incidents) => {
        const drama = new Drama(incidents);
        const live = await build(await drama.play(script));
        const replayed = await build(await drama.read({}));
        const [, answer] = toUiMessages(drama.session.history({ limit: 50 }).messages, new Set());
        expect(live.message).toEqual(answer);
        expect(replayed.message).toEqual(answer);
        const isFailed = answer?.role === "assistant" && answer.metadata?.outcome === "failed";
        expect(live.errors).toHaveLength(isFailed ? 1 : 0);
      },
    );
    await fc.assert(property, { numRuns: 250 });
  });
});
