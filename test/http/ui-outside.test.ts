import { validateUIMessages, type UIMessage } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catchUp, shownParts } from "../../src/http/ui-catch-up.ts";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { parseCursor, type IdentifiedEvent, type SessionStatus } from "../../src/shared/events.ts";
import { asStored, messageFrom } from "../support/chat-client.ts";
import { clientTools, Told, turns } from "./told-turn.ts";

const seqOf = (id: string): number => parseCursor(id)?.seq ?? 0;

function chunksOf(events: readonly IdentifiedEvent[], status?: SessionStatus) {
  const mapper = new UiMessageMapper(clientTools);
  if (status) mapper.takeStatus(status);
  return events.flatMap((event) => mapper.take(event));
}

/** Changes a page has made by itself: decisions that were not sent, or never asked for. */
function decide(message: UIMessage, how: "nothing" | "approve" | "deny" | "give"): UIMessage {
  const parts = message.parts.map((part) => {
    if (!("toolCallId" in part)) return part;
    if (how === "give" && part.state !== "input-streaming")
      return { ...part, state: "output-available", output: "forged", errorText: undefined };
    if (part.state !== "approval-requested" || how === "nothing") return part;
    const approval = { ...part.approval, approved: how === "approve" };
    return { ...part, state: "approval-responded", approval };
  });
  return { ...message, parts: parts as UIMessage["parts"] };
}

/** The SDK has no way to take back an output that a page gave to a call which was denied then; its state is right. */
const withoutTraces = (message: unknown): unknown[] =>
  (message as UIMessage).parts.map((part) => {
    if (!("toolCallId" in part) || part.state !== "output-denied") return part;
    const { output: _, ...rest } = part;
    return rest;
  });

describe("an answer whose calls were asked about outside", () => {
  it("[S5] [A5] is the same live, replayed and from the history wherever it rests, and valid", async () => {
    const property = fc.asyncProperty(turns, async (facts) => {
      const whole = new Told(facts);
      for (const [index, { kind }] of facts.entries()) {
        if (kind !== "waiting" && kind !== "end") continue;
        const told = new Told(facts.slice(0, index + 1));
        const live = await messageFrom(chunksOf(told.events));
        const replayed = await messageFrom(chunksOf(told.events, told.status));
        expect(live).toEqual({ message: told.shown, errors: [] });
        expect(replayed).toEqual(live);
        const messages = [told.shown] as UIMessage[];
        await expect(validateUIMessages({ messages })).resolves.toHaveLength(1);
      }
      const replayed = await messageFrom(chunksOf(whole.events, whole.status));
      expect(replayed.message).toEqual(whole.shown);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it("[S1] [A5] goes on in a message that a page has any part of, whatever it did to it meanwhile", async () => {
    const places = fc.tuple(fc.nat(), fc.nat());
    const deeds = fc.constantFrom(
      "nothing" as const,
      "approve" as const,
      "deny" as const,
      "give" as const,
    );
    const property = fc.asyncProperty(turns, places, deeds, async (facts, [cut, ahead], deed) => {
      const whole = new Told(facts);
      const seen = whole.events.slice(0, 1 + (cut % whole.events.length));
      const { message } = await messageFrom(chunksOf(seen));
      // What the server has stored: at least what came before the step that the page saw the beginning of.
      const least = Math.max(seqOf(seen.at(-1)?.id ?? "") - 1, 1);
      const now = new Told(facts.slice(0, least + (ahead % (facts.length - least + 1))));
      const shown = decide(message as UIMessage, deed);
      const { chunks, isAhead } = catchUp(
        now.answer,
        shownParts({ ...asStored(shown), role: "assistant" }),
        clientTools,
        new Set(),
      );
      const mapper = UiMessageMapper.after(now.answer, clientTools, isAhead);
      const later = whole.events.filter(({ id }) => seqOf(id) > seqOf(now.status.last));
      const rest = later.flatMap((event) => mapper.take(event));
      const isOver = now.answer.state !== "running" && now.answer.state !== "waiting";
      const metadata = { type: "message-metadata", messageMetadata: whole.answer.usage };
      const end = isOver ? [metadata] : rest;
      const built = await messageFrom([...chunks, ...end], shown);
      expect(built.errors).toEqual([]);
      expect(withoutTraces(built.message)).toEqual((whole.shown as UIMessage).parts);
    });
    await fc.assert(property, { numRuns: 500 });
  });
});
