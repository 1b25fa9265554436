import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";
import { REDACTED } from "./anthropic-decoder.ts";
import type { ModelRequest, ToolSpec } from "./model.ts";
import { inputObject } from "./tool-input.ts";

type TextBlock = { readonly type: "text"; readonly text: string };
type ImageBlock = {
  readonly type: "image";
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
};

type Block = (
  | TextBlock
  | ImageBlock
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: Record<string, unknown>;
    }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: readonly (TextBlock | ImageBlock)[];
      readonly is_error?: true;
    }
) & { readonly cache_control?: { readonly type: "ephemeral" } };

type Message = { readonly role: "user" | "assistant"; readonly content: Block[] };

/** A place up to which the provider keeps the prompt for the next call. */
const cached = { cache_control: { type: "ephemeral" } } as const;

/**
 * The prompt of a messages request: tools and system end in a cache breakpoint, and so does the last message,
 * since the next step sends all of it again. Neighbours of one role become one message; blank text blocks,
 * which the API refuses, are left out, and so is reasoning without the signature that proves it.
 */
export function anthropicPrompt(request: ModelRequest) {
  const messages: Message[] = [];
  for (const message of request.messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
  }
  const blocks = messages.at(-1)?.content;
  const end = blocks?.pop();
  if (end)
    blocks?.push(
      end.type === "thinking" || end.type === "redacted_thinking" ? end : { ...end, ...cached },
    );
  return {
    ...(request.system.trim() !== "" && {
      system: [{ type: "text", text: request.system, ...cached }],
    }),
    messages,
    ...toolsOf(request),
  };
}

/**
 * Whether the API accepts `thinking` for this prompt: in the middle of a tool loop the last answer must begin
 * with a signed thought, which one of another model, or one that was cut short, does not.
 */
export function mayThink(messages: readonly Message[]): boolean {
  const last = messages.at(-1)?.content ?? [];
  if (!last.some((block) => block.type === "tool_result")) return true;
  const first = messages.at(-2)?.content[0];
  return first?.type === "thinking" || first?.type === "redacted_thinking";
}

/** A history with calls needs tools defined, even where none may be called any more. */
function toolsOf(request: ModelRequest) {
  const define = ({ name, description, inputSchema }: ToolSpec) => ({
    name,
    description,
    input_schema: inputSchema,
  });
  if (request.tools.length > 0) return { tools: request.tools.map(define) };
  const parts = request.messages.flatMap((message) =>
    message.role === "assistant" ? message.parts : [],
  );
  const names = new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : [])));
  if (names.size === 0) return {};
  const former = (name: string) =>
    define({ name, description: "Not available now.", inputSchema: { type: "object" } });
  return { tools: [...names].map(former), tool_choice: { type: "none" } };
}

function blocksOf(message: ModelMessage): Block[] {
  if (message.role === "tool") return message.results.map(resultBlock);
  if (message.role === "user") {
    const blocks = contentBlocks(message.content);
    return blocks.length > 0 ? blocks : [{ type: "text", text: "(empty message)" }];
  }
  const blocks = message.parts.flatMap(stepBlocks);
  return blocks.every((block) => block.type === "thinking" || block.type === "redacted_thinking")
    ? []
    : blocks;
}

function stepBlocks(part: StepPart): Block[] {
  switch (part.type) {
    case "text":
      return contentBlocks([part]);
    case "tool-call":
      return [{ type: "tool_use", id: part.call, name: part.name, input: inputObject(part.input) }];
    case "reasoning": {
      const { text, signature = "" } = part;
      if (signature === "") return [];
      if (signature.startsWith(REDACTED))
        return [{ type: "redacted_thinking", data: signature.slice(REDACTED.length) }];
      return [{ type: "thinking", thinking: text, signature }];
    }
  }
}

const resultBlock = (result: ToolResult): Block => ({
  type: "tool_result",
  tool_use_id: result.call,
  content: contentBlocks(result.content),
  ...(result.status !== "success" && { is_error: true }),
});

const contentBlocks = (content: readonly ContentPart[]): (TextBlock | ImageBlock)[] =>
  content.flatMap((part): (TextBlock | ImageBlock)[] => {
    if (part.type === "text")
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    return [
      { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } },
    ];
  });
