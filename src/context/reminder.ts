import type { ContentPart, ModelMessage } from "../shared/messages.ts";
import { neutraliser } from "./tags.ts";

/**
 * The messages with a reminder at their end, of what holds at this moment: it is no part of the conversation, so that what
 * comes before it stays the same from step to step. No text in it can close its tag.
 */
export function withReminder(
  messages: readonly ModelMessage[],
  reminder: string,
): readonly ModelMessage[] {
  const text = `<system-reminder>\n${neutraliser([])(reminder)}\n</system-reminder>`;
  const part: ContentPart = { type: "text", text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [part] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, part] }];
}
