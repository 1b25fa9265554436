import type { Effect } from "../../shared/permissions.ts";
import type { Readings, SeenCall } from "../seen-call.ts";
import { dangerOfLine, shown } from "./dangerous-command.ts";
import { dangerOfPath } from "./dangerous-path.ts";

/** What is dangerous about a call, for a person; `null` when nothing is. A tool that only reads does nothing dangerous. */
export function dangerOfCall(readings: Readings, effect: Effect): string | null {
  if (effect === "read") return null;
  const [first, ...others] = readings;
  const calls = first.isDeclared ? [first] : [first, ...others];
  return calls.map(dangerOf).find((danger) => danger !== null) ?? null;
}

function dangerOf(call: SeenCall): string | null {
  for (const [at, path] of call.paths.entries()) {
    const danger = path && dangerOfPath(path);
    if (danger) return `It touches ${shown(call.named.paths[at] ?? "")}, which ${danger.why}.`;
  }
  const lines = [
    ...call.lines.map((line) => ({ line, isCommand: true })),
    ...call.scriptLines.map((line) => ({ line, isCommand: false })),
  ];
  for (const { line, isCommand } of lines) {
    const danger = dangerOfLine(line, isCommand);
    if (danger !== null) return `The command ${danger}: ${shown(line.text)}`;
  }
  return null;
}
