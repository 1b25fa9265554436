import { DefaultChatTransport, type UIMessageChunk } from "ai";
import type { TurnEvents } from "../../src/http/turn-reader.ts";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { uiMessageStream } from "../../src/http/ui-message-stream.ts";
import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { encodeEvents } from "../../src/shared/sse.ts";
import { asStored } from "../support/chat-client.ts";

export const at = (id: string, event: SessionEvent): IdentifiedEvent => ({ id, event });

/** A turn that says "Grüße 👋". */
export const turn: readonly IdentifiedEvent[] = [
  at("1.0", { type: "turn-start", turn: "t", reply: "t.reply", content: [], at: 1 }),
  at("2.0", { type: "step-start", turn: "t", step: 1, model: "m" }),
  at("2.1", { type: "text-start" }),
  at("2.6", { type: "text", text: "Grüße" }),
  at("2.9", { type: "text", text: " 👋" }),
  at("2.10", { type: "text-end" }),
  at("2.11", { type: "step-end", finish: "stop", usage: noUsage }),
  at("3.0", {
    type: "turn-end",
    turn: "t",
    reply: "t.reply",
    outcome: "completed",
    usage: noUsage,
    steps: 1,
    at: 1,
  }),
];

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const after = (id: string | null) =>
  turn.slice(turn.findIndex((event) => event.id === id) + 1);

/** A session's stream that writes these texts, then ends, breaks, or stays open. */
export class Source {
  isCancelled = false;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(texts: readonly string[], then: "end" | "break" | "stay") {
    const left = [...texts];
    this.stream = new ReadableStream({
      pull: (controller) => {
        const text = left.shift();
        if (text !== undefined) controller.enqueue(bytesOf(text));
        else if (then === "end") controller.close();
        else if (then === "break") controller.error(new Error("Network connection lost."));
        else return new Promise(() => {});
        return undefined;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
  }
}

export const told = (turn: Pick<TurnEvents, "events" | "reopen">) =>
  uiMessageStream({ turn: "t", ...turn }, new UiMessageMapper(new Set()));

export const whole = () => new Source([encodeEvents(turn)], "stay");

export const never = (): Promise<ReadableStream<Uint8Array>> => {
  throw new Error("reopened");
};

/** The chunks that the SDK's transport makes of an answer's body. */
export async function received(body: ReadableStream<Uint8Array>): Promise<UIMessageChunk[]> {
  const fetch = () => Promise.resolve(new Response(body));
  const transport = new DefaultChatTransport({ api: "http://localhost/api/chat", fetch });
  const stream = await transport.reconnectToStream({ chatId: "c" });
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as AsyncIterable<UIMessageChunk>) chunks.push(chunk);
  return asStored(chunks);
}
