import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";

/** One frame of a session's stream; `status` frames have no id. */
export type Frame = { readonly id: string | null; readonly event: SessionEvent };

/** The frames of a whole stream of server-sent events; comments are left out. */
export function parseFrames(text: string): Frame[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.includes("data: "))
    .map((frame) => {
      const id = /^id: (.*)$/m.exec(frame)?.[1] ?? null;
      return { id, event: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "null") as SessionEvent };
    });
}

/** The frames that move a cursor. */
export const identified = (frames: readonly Frame[]): IdentifiedEvent[] =>
  frames.flatMap(({ id, event }) => (id === null ? [] : [{ id, event }]));

/** The text of an answer as a reader sees it: deltas joined, attempts that were given up forgotten. */
export function textOf(frames: readonly Frame[]): string {
  let shown: { readonly seq: number; readonly text: string }[] = [];
  for (const { id, event } of identified(frames)) {
    if (event.type === "text") shown.push({ seq: Number(id.split(".")[0]), text: event.text });
    if (event.type === "step-reset") {
      const from = Number(event.to.split(".")[0]);
      shown = shown.filter(({ seq }) => seq < from);
    }
  }
  return shown.map(({ text }) => text).join("");
}
