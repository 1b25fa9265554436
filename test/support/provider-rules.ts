import { anthropicPrompt } from "../../src/model/anthropic-request.ts";
import { chatMessages } from "../../src/model/chat-request.ts";
import { promptOf } from "../../src/model/language-model-prompt.ts";
import type { ModelRequest } from "../../src/model/model.ts";

/**
 * What each provider would refuse in a request as its adapter words it (promise T6): roles, pairs of calls and results,
 * what may be empty. The rules are those of their API references. Empty when all take it.
 */
export function providerViolations(request: ModelRequest): string[] {
  return [
    ...anthropicViolations(request).map((what) => `Anthropic: ${what}`),
    ...chatViolations(request).map((what) => `chat completions: ${what}`),
    ...languageModelViolations(request).map((what) => `language model: ${what}`),
  ];
}

function anthropicViolations(request: ModelRequest): string[] {
  const found: string[] = [];
  const { messages, tools } = anthropicPrompt(request);
  if (messages[0]?.role !== "user") found.push("begins with an answer");
  if (messages.at(-1)?.role !== "user") found.push("ends with an answer");
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (messages[index - 1]?.role === role) found.push(`two messages of role ${role} adjoin`);
    if (content.length === 0) found.push("a message is empty");
    for (const block of content)
      if (block.type === "text" && block.text.trim() === "") found.push("a text is blank");
    const results = content.flatMap((block) =>
      block.type === "tool_result" ? [block.tool_use_id] : [],
    );
    if (results.join() !== open.join()) found.push(`[${results.join()}] answer [${open.join()}]`);
    if (content.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      found.push("something comes before the results");
    open = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    for (const id of open) {
      if (ids.has(id) || !/^[a-zA-Z0-9_-]+$/.test(id)) found.push(`${id} is no id, or used twice`);
      ids.add(id);
    }
  }
  if (open.length > 0) found.push("ends with calls");
  if (ids.size > 0 && !tools) found.push("has calls and defines no tools");
  return found;
}

function chatViolations(request: ModelRequest): string[] {
  const found: string[] = [];
  let open: string[] = [];
  const messages = chatMessages(request);
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.shift() !== message.tool_call_id)
        found.push("a result is not that of the next call");
      continue;
    }
    if (open.length > 0) found.push(`${message.role} comes before the results of ${open.join()}`);
    open = [];
    if (message.role === "system" && index > 0) found.push("a system message is not the first");
    if (message.role === "user" && message.content.length === 0) found.push("a message is empty");
    if (message.role !== "assistant") continue;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && !message.content) found.push("an answer is empty");
    for (const call of calls) {
      JSON.parse(call.function.arguments);
      open.push(call.id);
    }
  }
  if (open.length > 0) found.push("ends with calls");
  if (messages.at(-1)?.role === "assistant") found.push("ends with an answer");
  return found;
}

function languageModelViolations(request: ModelRequest): string[] {
  const found: string[] = [];
  let open: string[] = [];
  for (const message of promptOf(request)) {
    if (message.role === "system") continue;
    if (message.content.length === 0) found.push("a message is empty");
    const results =
      message.role === "tool" ? message.content.map(({ toolCallId }) => toolCallId) : [];
    if (results.join() !== open.join()) found.push(`[${results.join()}] answer [${open.join()}]`);
    open =
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
        : [];
  }
  if (open.length > 0) found.push("ends with calls");
  return found;
}
