import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { expect } from "vitest";
import type { ChatClient, ChatOptions } from "../support/chat-client.ts";
import { script } from "../support/scripted-model.ts";
import { openChat, textOf } from "./chat-page.ts";

export const agent = "asking";

export const unsafe = (label: string) => ({
  name: "unsafe_thing",
  input: JSON.stringify({ label }),
});

export const question = (...labels: readonly string[]) =>
  script({ text: "I will.", calls: labels.map(unsafe) }, { text: "Done." });

export const open = (id: string, options: Partial<ChatOptions> = {}) =>
  openChat(id, { agent, ...options });

/** A page that sends its decisions as soon as all are made, as the SDK's guide has it. */
export const openAutomatic = (id: string, options: Partial<ChatOptions> = {}) =>
  open(id, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    ...options,
  });

/** A chat whose turn waits for approval of calls with these labels. */
export async function waiting(id: string, labels: readonly string[], opened = open(id)) {
  await opened.sendMessage({ text: question(...labels) });
  expect(opened.error).toBeUndefined();
  expect(opened.status).toBe("ready");
  return opened;
}

export const callsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === "dynamic-tool" ? [part] : []));

export const statesOf = (chat: ChatClient) => callsOf(chat.lastMessage).map(({ state }) => state);

export const approvalOf = (chat: ChatClient, at = 0): string =>
  callsOf(chat.lastMessage)[at]?.approval?.id ?? "none";

/** Decides, and sends it as a page without automatic sending does. */
export async function decide(chat: ChatClient, approved: boolean, reason?: string, at = 0) {
  await chat.addToolApprovalResponse({
    id: approvalOf(chat, at),
    approved,
    ...(reason === undefined ? {} : { reason }),
  });
  await chat.sendMessage();
}

/** Waits until a page that sends by itself has said this. */
export const saying = (text: string) => {
  const said = Promise.withResolvers<void>();
  const onWrite = (message: UIMessage) => {
    if (textOf(message).endsWith(text) && message.metadata !== undefined) said.resolve();
  };
  return { onWrite, said: said.promise };
};
