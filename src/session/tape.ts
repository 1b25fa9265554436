import type { SessionEvent } from "../shared/events.ts";
import type { StepPart } from "../shared/messages.ts";

/** One part of a step as text that may still grow. `starts[i]` is where `chunks[i]` begins within the part. */
export type TapePart = {
  readonly type: StepPart["type"];
  readonly call?: string;
  readonly name?: string;
  readonly chunks: string[];
  readonly starts: number[];
  length: number;
  isClosed: boolean;
  signature?: string;
};

/** Text of one event at most, in UTF-16 units: about 30 KB on the wire, so a slow reader holds little memory. */
const MAX_TEXT = 10_000;

/**
 * The events of a step from `offset` on, at most about `budget` characters of text. Offsets count the step as a
 * tape: one unit opens a part, one for each UTF-16 unit of its text, one closes it. Live steps and journaled
 * ones give the same tape, so a cursor in the middle of either goes on exactly where it was.
 */
export function readTape(
  parts: readonly TapePart[],
  offset: number,
  budget: number,
): {
  readonly events: { readonly event: SessionEvent; readonly offset: number }[];
  readonly offset: number;
} {
  const events: { event: SessionEvent; offset: number }[] = [];
  let base = 0;
  let at = offset;
  let left = budget;
  for (const part of parts) {
    const end = base + 2 + part.length;
    if (at < end) {
      if (at === base) events.push({ event: opening(part), offset: (at = base + 1) });
      while (at - base - 1 < part.length && left > 0) {
        const text = textAt(part, at - base - 1, Math.min(left, MAX_TEXT));
        at += text.length;
        left -= text.length;
        events.push({ event: { type: part.type, text } as SessionEvent, offset: at });
      }
      if (at - base - 1 < part.length || !part.isClosed) return { events, offset: at };
      events.push({ event: { type: `${part.type}-end` } as SessionEvent, offset: (at = end) });
    }
    base = end;
  }
  return { events, offset: at };
}

function opening(part: TapePart): SessionEvent {
  if (part.type === "tool-call")
    return { type: "tool-call-start", call: part.call ?? "", name: part.name ?? "" };
  return { type: `${part.type}-start` };
}

/**
 * Up to `max` units from `from`; never empty when there is text. Does not part a surrogate pair that is all there:
 * where only one unit was asked for, it gives two.
 */
function textAt(part: TapePart, from: number, max: number): string {
  let low = 0;
  let high = part.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((part.starts[middle] ?? 0) <= from) low = middle;
    else high = middle - 1;
  }
  let text = (part.chunks[low] ?? "").slice(from - (part.starts[low] ?? 0));
  for (let index = low + 1; text.length < max && index < part.chunks.length; index++)
    text += part.chunks[index] ?? "";
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const isHigh = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHigh ? (max > 1 ? max - 1 : 2) : max);
}

/** The tape of a finished step. */
export function tapeOf(parts: readonly StepPart[]): TapePart[] {
  return parts.map((part) => {
    const text = part.type === "tool-call" ? part.input : part.text;
    return {
      type: part.type,
      ...(part.type === "tool-call" ? { call: part.call, name: part.name } : {}),
      chunks: text === "" ? [] : [text],
      starts: text === "" ? [] : [0],
      length: text.length,
      isClosed: true,
    };
  });
}

/** Length of the tape of these parts: the offset just before the step's end. */
export const tapeLength = (parts: readonly TapePart[]): number =>
  parts.reduce((sum, part) => sum + part.length + 2, 0);
