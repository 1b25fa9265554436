import {
  compareCursors,
  parseCursor,
  START,
  type Cursor,
  type IdentifiedEvent,
  type SessionEvent,
} from "../../src/shared/events.ts";

/**
 * What is wrong with the events that one reader saw over all its connections (promises S1, S2, S4), compared with
 * `replay`, the session's events from the beginning. Empty when ids only rise and what the reader is left with,
 * resets applied, is a part of the replay without gap or repeat. A reader may have left in the middle of a text.
 */
export function streamViolations(
  stream: readonly IdentifiedEvent[],
  replay: readonly IdentifiedEvent[],
): string[] {
  const found = risingViolations(stream);
  const kept = merge(applyResets(stream, found));
  const whole = merge(applyResets(replay, []));
  const [first] = kept;
  if (!first) return found;
  const from = whole.findIndex(({ id }) => id === first.id);
  if (from < 0) return [...found, `saw ${show(first)}, which the replay does not have`];
  for (const [index, saw] of kept.entries()) {
    const is = whole[from + index];
    const isLast = index === kept.length - 1;
    if (is && (same(saw, is) || (isLast && isBeginning(saw.event, is.event)))) continue;
    found.push(`saw ${show(saw)} where the replay has ${is ? show(is) : "nothing"}`);
    break;
  }
  return found;
}

/** What is wrong with a session's events from the beginning: each turn is one run from its start to its end. */
export function replayViolations(replay: readonly IdentifiedEvent[]): string[] {
  const found = risingViolations(replay);
  const ended = new Set<string>();
  let open: { turn: string; reply: string } | null = null;
  for (const { id, event } of replay) {
    if (event.type === "turn-start") {
      if (open) found.push(`${id}: turn ${event.turn} starts inside turn ${open.turn}`);
      if (ended.has(event.turn)) found.push(`${id}: turn ${event.turn} starts again`);
      open = event;
    } else if (["permissions", "compacted", "cleared"].includes(event.type)) {
      // These belong to no turn and come at any time.
    } else if (!open) {
      found.push(`${id}: ${event.type} outside of any turn`);
    } else if ("turn" in event && event.turn !== open.turn) {
      found.push(`${id}: ${event.type} of turn ${event.turn} inside turn ${open.turn}`);
    } else if (event.type === "turn-end") {
      if (event.reply !== open.reply) found.push(`${id}: the reply's id changed`);
      ended.add(event.turn);
      open = null;
    }
  }
  if (open) found.push(`turn ${open.turn} has no terminal event`);
  return found;
}

const cursorOf = (id: string): Cursor => parseCursor(id) ?? START;

function risingViolations(events: readonly IdentifiedEvent[]): string[] {
  return events.flatMap(({ id }, index) => {
    const before = events[index - 1];
    if (!parseCursor(id)) return [`${JSON.stringify(id)} is not an event id`];
    if (!before || compareCursors(cursorOf(before.id), cursorOf(id)) < 0) return [];
    return [`id ${id} after ${before.id}`];
  });
}

/** What a client is left with. A fact that a reset takes back is a violation: facts are stored before they are seen. */
function applyResets(events: readonly IdentifiedEvent[], found: string[]): IdentifiedEvent[] {
  const kept: IdentifiedEvent[] = [];
  for (const item of events) {
    if (item.event.type !== "step-reset") {
      kept.push(item);
      continue;
    }
    const to = cursorOf(item.event.to);
    while (compareCursors(cursorOf(kept.at(-1)?.id ?? "0.0"), to) >= 0 && kept.length > 0) {
      const dropped = kept.pop();
      if (dropped && isFact(dropped.event)) found.push(`${show(dropped)} was taken back`);
    }
  }
  return kept;
}

const FACTS = new Set([
  "turn-start",
  "attached",
  "step-end",
  "tool-result",
  "shortened",
  "call-asked",
  "call-answered",
  "turn-waiting",
  "steered",
  "permissions",
  "compacted",
  "cleared",
  "turn-end",
]);

const isFact = ({ type }: SessionEvent): boolean => FACTS.has(type);

type Piece = Extract<SessionEvent, { type: "text" | "reasoning" | "tool-call" }>;

const isPiece = (event: SessionEvent | undefined): event is Piece =>
  event?.type === "text" || event?.type === "reasoning" || event?.type === "tool-call";

/** Pieces of one text as one event: how a text was cut is nobody's business. */
function merge(events: readonly IdentifiedEvent[]): IdentifiedEvent[] {
  const merged: IdentifiedEvent[] = [];
  for (const item of events) {
    const before = merged.at(-1)?.event;
    if (isPiece(item.event) && isPiece(before) && before.type === item.event.type) {
      const text = before.text + item.event.text;
      merged[merged.length - 1] = { id: item.id, event: { type: before.type, text } };
    } else merged.push(item);
  }
  return merged;
}

const same = (a: IdentifiedEvent, b: IdentifiedEvent): boolean =>
  a.id === b.id && JSON.stringify(a.event) === JSON.stringify(b.event);

const isBeginning = (saw: SessionEvent, is: SessionEvent): boolean =>
  isPiece(saw) && isPiece(is) && saw.type === is.type && is.text.startsWith(saw.text);

const show = ({ id, event }: IdentifiedEvent): string =>
  `${id} ${JSON.stringify(event).slice(0, 200)}`;
