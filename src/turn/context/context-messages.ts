import { neutraliser } from "../../context/tags.ts";
import type { ContentPart, ModelMessage } from "../../shared/messages.ts";

const SUMMARY = "conversation_summary";

/**
 * The messages of a context with what was said before it: at the front of the first message, so that it stays the same
 * from step to step. An empty summary adds nothing. No text in it can close its tag.
 */
export function withSummary(
  summary: string,
  messages: readonly ModelMessage[],
): readonly ModelMessage[] {
  if (summary === "") return messages;
  const text = `<${SUMMARY}>\n${neutraliser([])(summary)}\n</${SUMMARY}>`;
  const part: ContentPart = { type: "text", text };
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: [part] }, ...messages];
  return [{ role: "user", content: [part, ...first.content] }, ...rest];
}
