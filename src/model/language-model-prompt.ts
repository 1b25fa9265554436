import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";
import type {
  CallOptions,
  CallPart,
  FilePart,
  PromptMessage,
  ReasoningPart,
  ResultOutput,
  TextPart,
} from "./language-model-types.ts";
import type { ModelRequest, ToolSpec } from "./model.ts";
import { type SignedMetadata, readSignature } from "./language-model-signature.ts";
import { inputObject } from "./tool-input.ts";

/** A request as the specification's prompt. */
export function promptOf(request: ModelRequest): PromptMessage[] {
  const system: PromptMessage[] =
    request.system === "" ? [] : [{ role: "system", content: request.system }];
  return [...system, ...request.messages.flatMap(messageOf)];
}

export const toolsOf = (tools: readonly ToolSpec[]): NonNullable<CallOptions["tools"]> =>
  tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema: { ...inputSchema },
  }));

function messageOf(message: ModelMessage): PromptMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map(contentPart) }];
    case "tool":
      return [
        {
          role: "tool",
          content: message.results.map((result) => ({
            type: "tool-result",
            toolCallId: result.call,
            toolName: result.name,
            output: outputOf(result),
          })),
        },
      ];
    case "assistant": {
      const content = assistantParts(message.parts);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
  }
}

/** What a provider attached to its thoughts and calls goes back to it as `providerOptions`. */
function assistantParts(parts: readonly StepPart[]): (TextPart | ReasoningPart | CallPart)[] {
  const signed = parts.map((part) =>
    readSignature(part.type === "reasoning" ? part.signature : undefined),
  );
  const ofCalls = signed.flatMap((signature) =>
    signature.filter((entry) => entry.call !== undefined),
  );
  let call = 0;
  return parts.flatMap((part, index): (TextPart | ReasoningPart | CallPart)[] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [part];
      case "reasoning":
        return reasoningPart(
          part.text,
          signed[index]?.findLast((entry) => entry.call === undefined),
        );
      case "tool-call": {
        const number = call++;
        const metadata = ofCalls.find((entry) => entry.call === number)?.metadata;
        const base: CallPart = {
          type: "tool-call",
          toolCallId: part.call,
          toolName: part.name,
          input: inputObject(part.input),
        };
        return [metadata ? { ...base, providerOptions: metadata } : base];
      }
    }
  });
}

function reasoningPart(text: string, signature: SignedMetadata | undefined): ReasoningPart[] {
  if (signature) return [{ type: "reasoning", text, providerOptions: signature.metadata }];
  return text === "" ? [] : [{ type: "reasoning", text }];
}

const contentPart = (part: ContentPart): TextPart | FilePart =>
  part.type === "text"
    ? part
    : { type: "file", data: { type: "data", data: part.data }, mediaType: part.mediaType };

function outputOf(result: ToolResult): ResultOutput {
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const isError = result.status !== "success";
  if (texts.length === result.content.length)
    return { type: isError ? "error-text" : "text", value: texts.join("\n") };
  const mark: TextPart[] = isError ? [{ type: "text", text: `[${result.status}]` }] : [];
  return { type: "content", value: [...mark, ...result.content.map(contentPart)] };
}
