import { neutraliser } from "../../context/tags.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import type { ContentPart, ModelMessage } from "../../shared/messages.ts";

const SUMMARY = "conversation_summary";

/** What was said before the context, in words: how the conversation began, and what came then, in short. Empty where nothing is known of it. */
export function leadText({ first = "", summary = "" }: Partial<ContextDocument>): string {
  if (first === "") return summary;
  const began = `The conversation began with this message of the user:\n${first}`;
  const then =
    summary === ""
      ? "What came after it is left out here."
      : `What came after it, in short:\n${summary}`;
  return `${began}\n\n${then}`;
}

/**
 * The messages of a context with what was said before it, and what is `kept` of that: at the front of the first message,
 * so that it stays the same from step to step. Where nothing is known of it, nothing is added. No text in it can close its
 * tag.
 */
export function withLead(
  document: ContextDocument,
  messages: readonly ModelMessage[],
  kept = "",
): readonly ModelMessage[] {
  const lead = leadText(document);
  const summary = lead === "" ? "" : `<${SUMMARY}>\n${neutraliser([])(lead)}\n</${SUMMARY}>`;
  const parts = [summary, kept].flatMap((text): ContentPart[] =>
    text === "" ? [] : [{ type: "text", text }],
  );
  if (parts.length === 0) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: parts }, ...messages];
  return [{ role: "user", content: [...parts, ...first.content] }, ...rest];
}
