import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { parseFrames } from "../support/client.ts";
import { resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { breathe, clientOf } from "./session-object.ts";

const SESSION = "cut";
const BASE = `http://localhost/v1/agents/asking/sessions/${SESSION}`;
/** Steps with a thought, a text and many calls, of which one in each step is asked about. */
const STEPS = Array.from({ length: 8 }, (_, step) => ({
  reasoning: `Thought ${step} 🧵`,
  text: `Step ${step}: grüß dich, 世界. `,
  batches: 3,
  calls: Array.from({ length: 10 }, (_unused, no) => ({
    name: no === 4 ? "unsafe_thing" : "read_thing",
    input: JSON.stringify({ label: `${step}-${no}` }),
  })),
}));

beforeEach(() => {
  resetOutside().pause = breathe;
});

/** The frames of the session's events after an id, as bytes, without the status that describes the present. */
async function framesAfter(after: string): Promise<string[]> {
  const response = await exports.default.fetch(`${BASE}/events`, {
    headers: { "last-event-id": after },
  });
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = "";
  // The last frame is whole once the empty line after it has come.
  while (!/"type":"turn-end"[^\n]*\n\n/.test(text)) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) break;
    text += decoder.decode(chunk.value, { stream: true });
  }
  await reader?.cancel();
  return text.split("\n\n").filter((frame) => frame.startsWith("id: "));
}

/** All that the frames say. How a text was cut into events is nobody's business, so the pieces of one are joined. */
const bytesOf = (frames: readonly string[]): string =>
  frames
    .map((frame) => {
      const [{ event } = { event: null }] = parseFrames(`${frame}\n\n`);
      const isPiece =
        event?.type === "text" || event?.type === "reasoning" || event?.type === "tool-call";
      return isPiece ? event.text : `\n${frame}\n`;
    })
    .join("");

describe("a turn with tools and approvals", () => {
  it("[S1] is the same to the byte for a reader who comes back after any of its events", async () => {
    const client = clientOf(SESSION, "asking");
    const answers: Promise<number>[] = [];
    await client.talk("t1", { message: script(...STEPS, { text: "The end." }) }, (event) => {
      if (event.type === "call-asked")
        answers.push(client.answer(event.call, { decision: "approve", digest: event.digest }));
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    const whole = await framesAfter("0.0");
    expect(whole.length).toBeGreaterThanOrEqual(300);
    for (const [at, frame] of whole.entries()) {
      if (at === whole.length - 1) break;
      const [{ id } = { id: "" }] = parseFrames(`${frame}\n\n`);
      expect(bytesOf(await framesAfter(id ?? "")), id ?? "").toBe(bytesOf(whole.slice(at + 1)));
    }
  });
});
