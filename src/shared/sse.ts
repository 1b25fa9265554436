import type { IdentifiedEvent, SessionEvent } from "./events.ts";

/** Server-sent-event frames of a session's events. No `event:` line, so `EventSource.onmessage` gets them all. */
export function encodeEvents(events: readonly IdentifiedEvent[]): string {
  let text = "";
  for (const { id, event } of events) text += `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
  return text;
}

/** A frame without an id: it does not move a reader's cursor. */
export const encodeStatus = (event: SessionEvent): string => `data: ${JSON.stringify(event)}\n\n`;

/** A comment, ignored by every client. Sent when there is nothing to say, so that proxies keep the line open. */
export const KEEP_ALIVE = ": keep-alive\n\n";
