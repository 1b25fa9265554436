import { cutAt } from "../../shared/text.ts";
import type { ContentPart, ModelMessage, StepPart } from "../../shared/messages.ts";
import type { ModelEvent, ModelRequest } from "../../model/model.ts";

/** UTF-16 units of one payload; logs cut lines of more than 256 KB. */
const MAX_CHARS = 32_000;

/** JSON text, cut where it is long. */
export const textPayload = (value: unknown): string =>
  cutAt(typeof value === "string" ? value : JSON.stringify(value), MAX_CHARS);

/** What a model was asked, in the conventions' shape, as JSON text. */
export const inputPayload = ({ system, messages }: ModelRequest) => ({
  "gen_ai.system_instructions": textPayload([{ type: "text", content: system }]),
  "gen_ai.input.messages": textPayload(messages.map(toMessage)),
});

/** What it answered. */
export function outputPayload(events: readonly ModelEvent[]) {
  const parts: { type: string; content?: string; name?: string; arguments?: string }[] = [];
  for (const event of events) {
    const last = parts.at(-1);
    if (event.type === "text" || event.type === "reasoning") {
      if (last?.type === event.type) last.content = (last.content ?? "") + event.text;
      else parts.push({ type: event.type, content: event.text });
    } else if (event.type === "tool-call") {
      parts.push({ type: "tool_call", name: event.name, arguments: "" });
    } else if (event.type === "tool-input" && last) {
      last.arguments = (last.arguments ?? "") + event.text;
    }
  }
  return { "gen_ai.output.messages": textPayload([{ role: "assistant", parts }]) };
}

function toMessage(message: ModelMessage) {
  if (message.role === "user") return { role: "user", parts: message.content.map(toPart) };
  if (message.role === "assistant")
    return { role: "assistant", parts: message.parts.map(toStepPart) };
  const parts = message.results.map(({ call, content }) => ({
    type: "tool_call_response",
    id: call,
    response: content.map(toPart),
  }));
  return { role: "tool", parts };
}

/** Of an image only its kind. */
const toPart = (part: ContentPart) =>
  part.type === "text"
    ? { type: "text", content: part.text }
    : { type: "blob", modality: "image", mime_type: part.mediaType };

const toStepPart = (part: StepPart) =>
  part.type === "tool-call"
    ? { type: "tool_call", id: part.call, name: part.name, arguments: part.input }
    : { type: part.type, content: part.text };
