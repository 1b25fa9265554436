import type { ToolCall } from "../../shared/messages.ts";
import { cutAt } from "../../shared/text.ts";
import { fenced } from "./answer.ts";
import type { Outcome } from "./conversation.ts";

/** The longest tool output that is shown whole. */
const MAX_SHOWN = 6_000;

/** The arguments of a call; empty when they are no JSON object. */
export function inputOf(call: ToolCall): Readonly<Record<string, unknown>> {
  return parseObject(call.input) ?? {};
}

/** The path that a call was about; empty when it names none. */
export function pathOf(outcome: Outcome): string {
  const { path } = inputOf(outcome.call);
  return typeof path === "string" ? path : "";
}

/** The object that a JSON text stands for; `null` when it stands for anything else, or is no JSON. */
export function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return null;
  }
}

/** The text of a page without its line numbers and without the closing remark. */
export function unnumbered(page: string): string {
  return page
    .split("\n")
    .flatMap((line) => /^\s*\d+\|(.*)$/s.exec(line)?.[1] ?? (line.startsWith("[") ? [] : line))
    .join("\n");
}

/** The offset that the closing remark of a page names; `null` on the last page. */
export function nextOffset(page: string): number | null {
  const match = /\[[^\n]*offset=(\d+)[^\n]*\]\s*$/.exec(page);
  return match ? Number(match[1]) : null;
}

/** Outcomes as they are, for calls that no rule speaks about better. */
export function showOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes
    .map((outcome) => `**${outcome.call.name}** ${verdict(outcome)}\n\n${shown(outcome)}`)
    .join("\n\n");
}

/** What became of a call, in words. */
export function verdict(outcome: Outcome): string {
  switch (outcome.result.status) {
    case "success":
      return "answered:";
    case "error":
      return "failed:";
    case "denied":
      return "was not allowed:";
    case "interrupted":
      return "was interrupted before it could finish:";
    case "unknown":
      return "was interrupted, and whether it had its effect is not known:";
  }
}

function shown(outcome: Outcome): string {
  const images = outcome.result.content.filter((part) => part.type === "image").length;
  const text =
    outcome.text.length > MAX_SHOWN ? `${cutAt(outcome.text, MAX_SHOWN)}…` : outcome.text;
  const extra =
    images > 0 ? `\n\n(and ${images} image${images === 1 ? "" : "s"}, which I cannot see)` : "";
  return `${fenced(text === "" ? "(no text)" : text)}${extra}`;
}
