import * as z from "zod";
import { withoutMarks } from "../../shared/memory-marks.ts";
import { cutAt } from "../../shared/text.ts";
import type { Unit } from "./units.ts";

/** What of a tool's result is searched, in UTF-16 units. */
const RESULT_CHARS = 1_000;

const text = z.string().catch("");

const Part = z.object({ type: z.string(), text, name: text, input: text });

const Line = z.object({
  kind: z.string(),
  turn: text,
  at: z.number().nullable().catch(null),
  name: text,
  content: z.array(Part).catch([]),
  parts: z.array(Part).catch([]),
});

type Line = z.output<typeof Line>;

/** Tools whose calls and results are not searched: they repeat what is searched anyway, or has been forgotten. */
const REPEATS = /^(?:memory|session)_/;

const FORGET = "memory_forget";

/**
 * The message in a line of a session's log; `null` where nobody said or did anything, and for what is no such line.
 * Format: `docs/session-files.md`.
 */
export function messageIn(line: string, no: number): Unit | null {
  const entry = lineOf(line);
  const message = entry && messageOf(entry);
  if (!entry || !message || message.text.trim() === "") return null;
  const { at, turn } = entry;
  const said = { role: message.role, turn };
  return { line: no, end: no, at, text: withoutMarks(message.text), about: "", said };
}

/** The turn of a line in which something is to be forgotten; `null` for any other line. */
export function forgettingIn(line: string): string | null {
  const { turn = "", parts = [] } = (line.includes(FORGET) && lineOf(line)) || {};
  return parts.some(({ type, name }) => type === "tool-call" && name === FORGET) ? turn : null;
}

/** Whether a line ends a turn. */
export const endsTurn = (line: string): boolean =>
  line.includes('"end"') && lineOf(line)?.kind === "end";

function lineOf(line: string): Line | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function messageOf({ kind, name, content, parts }: Line): { role: string; text: string } | null {
  switch (kind) {
    case "user":
    case "steered":
      return { role: "user", text: textIn(content) };
    case "step":
      return { role: "assistant", text: textIn(parts) };
    case "result":
      if (REPEATS.test(name)) return null;
      return {
        role: "tool",
        text: `${name}\n${cutAt(withoutMarks(textIn(content)), RESULT_CHARS)}`,
      };
    default:
      return null;
  }
}

const textIn = (parts: Line["parts"]): string => parts.flatMap((part) => spokenIn(part)).join("\n");

function spokenIn({ type, text: said, name, input }: Line["parts"][number]): string[] {
  if (type === "text") return [said];
  return type === "tool-call" && !REPEATS.test(name) ? [`${name} ${input}`] : [];
}
