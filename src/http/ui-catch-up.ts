import * as z from "zod";
import type { ListedMessage } from "./chat-body.ts";
import type { UiChunk } from "./ui-chunks.ts";
import { partId, toParts, type Answer, type UiPart } from "./ui-messages.ts";
import {
  changeTool,
  introduceTool,
  isSame,
  type ClientTools,
  type UiToolPart,
} from "./ui-tool-part.ts";

const Part = z.looseObject({
  type: z.string().regex(/^(?:step-start|text|reasoning|steering-message|dynamic-tool|tool-.+)$/),
  id: z.string().optional(),
  text: z.string().optional(),
  state: z.string().default(""),
  toolCallId: z.string().optional(),
  approval: z
    .looseObject({
      id: z.string(),
      approved: z.boolean().optional(),
      reason: z.string().optional(),
    })
    .optional(),
});

/** A part of an answer as a client says it shows it. */
export type ShownPart = z.output<typeof Part>;

/** The parts of a client's message that are of our kinds; what is none is left out. */
export function shownParts(message: ListedMessage | undefined): ShownPart[] {
  const listed = message?.["parts"];
  const parts: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return parts.flatMap((part) => {
    const { data } = Part.safeParse(part);
    return data ? [data] : [];
  });
}

/**
 * The chunks that make a client show an answer as it is. `isAhead`: it has all of it, and the beginning of a step that is
 * not over; that beginning is taken back, and the step's own start is not to be told again.
 */
export type CatchUp = { readonly chunks: readonly UiChunk[]; readonly isAhead: boolean };

/**
 * Compares an answer with what a client says it shows of it: what was cut off is told again from its step on, what it
 * lacks is told, and calls that stand differently are mended, but for those that it has just answered. Where the two have
 * nothing to do with each other, since a page may send less than it shows, only calls are.
 */
export function catchUp(
  answer: Answer,
  shown: readonly ShownPart[],
  clientTools: ClientTools,
  answered: ReadonlySet<string>,
): CatchUp {
  const parts = toParts(answer, clientTools);
  const mend = (told: readonly UiPart[]) =>
    mendCalls(
      told.filter((part) => !("toolCallId" in part && answered.has(part.toolCallId))),
      shown,
    );
  const place = placeOf(parts, shown);
  const isAhead = place.kind === "ahead";
  if (place.kind === "other") return { chunks: mend(parts), isAhead };
  const end = "told" in place ? place.told : parts.length;
  const chunks: UiChunk[] = mend(parts.slice(0, end));
  if (place.kind !== "whole") chunks.push({ type: "reset-step" });
  let next = parts.slice(0, end).filter(({ type }) => type !== "step-start").length;
  for (const part of parts.slice(end)) {
    chunks.push(...tell(part, partId(next)));
    if (part.type !== "step-start") next++;
  }
  return { chunks, isAhead };
}

type Place =
  /** It shows so many parts as they are; `cut`: and after them the beginning of what the step says. */
  { readonly kind: "whole" | "cut"; readonly told: number } | { readonly kind: "ahead" | "other" };

function placeOf(parts: readonly UiPart[], shown: readonly ShownPart[]): Place {
  const step = shown.findLastIndex(({ type }) => type === "step-start");
  for (const [index, theirs] of shown.entries()) {
    const ours = parts[index];
    if (ours && isWhole(ours, theirs)) continue;
    if (!ours && index === step) return { kind: "ahead" };
    const isWithin = step >= 0 && index > step && (!ours || isBeginning(ours, theirs));
    return isWithin ? { kind: "cut", told: step + 1 } : { kind: "other" };
  }
  return { kind: "whole", told: shown.length };
}

function isWhole(ours: UiPart, theirs: ShownPart): boolean {
  if (ours.type !== theirs.type) return false;
  switch (ours.type) {
    case "step-start":
      return true;
    case "text":
    case "reasoning":
      return ours.text === theirs.text && theirs.state !== "streaming";
    case "steering-message":
      return ours.id === theirs.id;
    default:
      return ours.toolCallId === theirs.toolCallId && (!isCut(theirs) || isHeld(ours, theirs));
  }
}

const isCut = ({ state }: ShownPart): boolean => state === "input-streaming";

/** The input of a client's tool came whole, and the client is not asked to run it, or not yet. */
const isHeld = (ours: UiToolPart, { input }: ShownPart): boolean =>
  ours.type !== "dynamic-tool" && isSame(input, ours.input);

function isBeginning(ours: UiPart, theirs: ShownPart): boolean {
  if (ours.type !== theirs.type) return false;
  if ("text" in ours) return ours.text.startsWith(theirs.text ?? "");
  return "toolCallId" in ours && ours.toolCallId === theirs.toolCallId;
}

/** Calls that nobody shows are told only while they are open: their outcome may follow. */
function mendCalls(parts: readonly UiPart[], shown: readonly ShownPart[]): UiChunk[] {
  return parts.flatMap((part): UiChunk[] => {
    if (!("toolCallId" in part)) return [];
    const theirs = shown.find(({ toolCallId }) => toolCallId === part.toolCallId);
    if (theirs) return changeTool(theirs, part);
    return isOpen(part) ? introduceTool(part) : [];
  });
}

const isOpen = ({ state }: UiToolPart): boolean =>
  state === "input-available" || state === "approval-requested" || state === "approval-responded";

function tell(part: UiPart, id: string): UiChunk[] {
  switch (part.type) {
    case "step-start":
      return [{ type: "start-step" }];
    case "text":
    case "reasoning":
      return [
        { type: `${part.type}-start`, id },
        { type: `${part.type}-delta`, id, delta: part.text },
        { type: `${part.type}-end`, id },
      ];
    case "steering-message":
      return [part];
    default:
      return introduceTool(part);
  }
}
