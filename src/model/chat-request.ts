import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";
import type { ModelRequest, ToolSpec } from "./model.ts";
import { validJson } from "./tool-input.ts";

type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

type ChatToolCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

/** A message of the chat-completions dialect. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly UserPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly ChatToolCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/**
 * The request's messages for chat completions. Reasoning is left out: most servers refuse it. Images of tool
 * results follow in a user message after the last result of their step, since a tool message holds text only;
 * the user's own message, if it comes next, is joined to it.
 */
export function chatMessages(request: ModelRequest): ChatMessage[] {
  const out: ChatMessage[] =
    request.system === "" ? [] : [{ role: "system", content: request.system }];
  let waiting: UserPart[] = [];
  const flush = () => {
    if (waiting.length > 0) out.push({ role: "user", content: userContent(waiting) });
    waiting = [];
  };
  for (const message of request.messages) {
    if (message.role === "user") {
      waiting.push(...message.content.map(userPart));
      continue;
    }
    const said =
      message.role === "assistant"
        ? assistantMessages(message.parts)
        : message.results.map(toolMessage);
    if (said.length > 0) flush();
    out.push(...said);
    if (message.role === "tool") waiting.push(...imagesOf(message));
  }
  flush();
  return out;
}

/** The tools of a request as chat completions want them. */
export const chatTools = (tools: readonly ToolSpec[]) =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    function: { name, description, parameters: inputSchema },
  }));

/** Plain text stays a string, which the oldest servers know. */
function userContent(parts: readonly UserPart[]): string | readonly UserPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

const userPart = (part: ContentPart): UserPart =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };

function assistantMessages(parts: readonly StepPart[]): ChatMessage[] {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const calls = parts.flatMap((part): ChatToolCall[] =>
    part.type === "tool-call"
      ? [
          {
            id: part.call,
            type: "function",
            function: { name: part.name, arguments: validJson(part.input) },
          },
        ]
      : [],
  );
  if (calls.length > 0)
    return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
  return text === "" ? [] : [{ role: "assistant", content: text }];
}

function toolMessage(result: ToolResult): ChatMessage {
  const lines = result.content.map((part) =>
    part.type === "text" ? part.text : "[The image follows below.]",
  );
  const mark = result.status === "success" ? "" : `[${result.status}] `;
  return { role: "tool", tool_call_id: result.call, content: mark + lines.join("\n") };
}

const imagesOf = (message: Extract<ModelMessage, { role: "tool" }>): UserPart[] =>
  message.results.flatMap((result) => {
    const images = result.content.filter((part) => part.type === "image").map(userPart);
    return images.length === 0
      ? []
      : [{ type: "text" as const, text: `Images from ${result.name}:` }, ...images];
  });
