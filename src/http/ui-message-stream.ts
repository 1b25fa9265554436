import { KEEP_ALIVE } from "../shared/sse.ts";
import { TurnReader, type TurnEvents } from "./turn-reader.ts";
import type { UiChunk } from "./ui-chunks.ts";
import type { UiMessageMapper } from "./ui-message-mapper.ts";

/**
 * The body of an answer to an AI SDK client: `head` and the turn's chunks as server-sent events, closed by `[DONE]` when
 * the turn ended or waits for someone. Keep-alives pass as comments. It is pulled, so a client that reads slowly costs no
 * memory here; one that leaves ends the session's stream and nothing else.
 */
export function uiMessageStream(
  turn: TurnEvents,
  mapper: UiMessageMapper,
  head: readonly UiChunk[] = [],
): ReadableStream<Uint8Array> {
  const reader = new TurnReader(turn);
  const encoder = new TextEncoder();
  let text = head.map(frameOf).join("");
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      do {
        const told = await readText(reader, mapper);
        if (told === null) return;
        text += told;
      } while (text === "");
      if (mapper.isOver) text += DONE;
      controller.enqueue(encoder.encode(text));
      text = "";
      if (!mapper.isOver) return;
      controller.close();
      await reader.cancel();
    },
    cancel: () => reader.cancel(),
  });
}

/** What came next, as text; `null` when the reader left. */
async function readText(reader: TurnReader, mapper: UiMessageMapper): Promise<string | null> {
  const read = await reader.read();
  if (read === null) return null;
  if (read === "rest") return mapper.rest().map(frameOf).join("");
  let text = read.isAlive ? KEEP_ALIVE : "";
  if (read.status) text += mapper.takeStatus(read.status).map(frameOf).join("");
  for (const event of read.events) {
    text += mapper.take(event).map(frameOf).join("");
    if (mapper.joined === null) continue;
    await reader.follow(mapper.joined);
    break;
  }
  return text;
}

const DONE = "data: [DONE]\n\n";

const frameOf = (chunk: UiChunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** The same where nothing is to come. */
export const uiMessageText = (chunks: readonly UiChunk[]): string =>
  chunks.map(frameOf).join("") + DONE;
