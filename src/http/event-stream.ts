import type { Context } from "hono";

const EVENT_STREAM: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** An answer of server-sent events; `null`: its head alone. */
export const eventStream = (events: ReadableStream<Uint8Array> | null): Response =>
  new Response(events, { headers: EVENT_STREAM });

/** Whether the caller asked for events. */
export const wantsEvents = (c: Context): boolean =>
  c.req.header("accept")?.includes("text/event-stream") === true;
