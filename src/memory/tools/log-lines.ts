import * as z from "zod";
import { withoutMarks } from "../../shared/memory-marks.ts";
import { cutAt, indentRest } from "../../shared/text.ts";
import { dayIn, UTC } from "../../shared/time-zone.ts";

/** What somebody said, as a line of a session's log has it. */
export type Message = {
  readonly role: "USER" | "ASSISTANT";
  readonly text: string;
  /** Milliseconds. */
  readonly at: number;
  readonly turn: string;
};

/** What of a tool's arguments and of its result is shown. */
const TOOL_CHARS = 1_000;

/** The last moment that a date can name. */
const MAX_TIME = 8_640_000_000_000_000;

const DAY_MS = 86_400_000;

const text = z.string().catch("");

const Part = z.object({ type: z.string(), text, name: text, input: text });

const Line = z.object({
  kind: z.string(),
  at: z.int().min(0).max(MAX_TIME).catch(0),
  turn: text,
  name: text,
  content: z.array(Part).catch([]),
  parts: z.array(Part).catch([]),
});

type Line = z.output<typeof Line>;

/** The line of a log; `null` when it is none, or is cut. */
function readLine(line: string): Line | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** What was said in a line of a log; `null` where nobody said anything in words. */
export function messageIn(line: string): Message | null {
  const entry = readLine(line);
  return entry && messageOf(entry);
}

function messageOf({ kind, at, turn, content, parts }: Line): Message | null {
  const isUser = kind === "user" || kind === "steered";
  if (!isUser && kind !== "step") return null;
  const said = textIn(isUser ? content : parts);
  return said.trim() === "" ? null : { role: isUser ? "USER" : "ASSISTANT", text: said, at, turn };
}

const textIn = (parts: Line["parts"]): string =>
  withoutMarks(parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"));

/**
 * A line of a log as people read it: what was said, which tools were called, and the beginning of what they gave. One that
 * cannot be read is given as it is.
 */
export function readableLine(line: string): string {
  const entry = readLine(line);
  if (!entry) return withoutMarks(line);
  const message = messageOf(entry);
  const said = message ? [`[${message.role}]: ${indentRest(message.text)}`] : [];
  const shown = [...said, ...callsIn(entry)];
  if (entry.kind === "result")
    shown.push(`[TOOL] ${entry.name}: ${shortened(textIn(entry.content), TOOL_CHARS)}`);
  return shown.length > 0
    ? shown.join("\n  ")
    : `(${[entry.kind, entry.name].filter(Boolean).join(": ")})`;
}

const callsIn = ({ parts }: Line): string[] =>
  parts.flatMap(({ type, name, input }) =>
    type === "tool-call"
      ? [`(calls ${name} ${shortened(withoutMarks(input), TOOL_CHARS, true)})`]
      : [],
  );

/** A message in at most `limit` characters, one line if `isOneLine`; further lines cannot be taken for another message. */
export function shortened(text: string, limit: number, isOneLine = false): string {
  const plain = isOneLine ? oneLine(text) : text.trim();
  const cut = cutAt(plain, limit);
  const shown = cut === plain ? plain : `${cut.trimEnd()}…`;
  return isOneLine ? shown : indentRest(shown);
}

/** All white space is a space. */
export const oneLine = (text: string): string => text.replace(/[\s\u0085]+/g, " ").trim();

/**
 * The day of a moment in a person's zone; empty where the moment is not known. UTC midnight stands for its day: a ledger has
 * no other time.
 */
export function dayOf(at: number | null, zone: string): string {
  if (at === null || Math.abs(at) > MAX_TIME) return "";
  return dayIn(at % DAY_MS === 0 ? UTC : zone, at);
}

/** A moment as lists show it, in UTC: `2026-11-30 09:12Z`. */
export const moment = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}Z`;
