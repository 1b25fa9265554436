import { exports } from "cloudflare:workers";
import type { UIMessage } from "ai";
import { ChatClient, type ChatOptions } from "../support/chat-client.ts";
import { outside } from "../support/outside.ts";
import { breathe } from "./session-object.ts";

const api = "http://localhost/api/chat";

/** The chat with this id, of the scripted agent unless another is named, in the SDK's client. */
export const openChat = (
  id: string,
  { agent = "scripted", ...options }: Partial<ChatOptions> & { readonly agent?: string } = {},
): ChatClient =>
  new ChatClient({ id, api: `${api}?agent=${agent}`, fetch: callWorker, ...options });

/** `fetch` into the Worker under test. */
export const callWorker: typeof fetch = (input, init) =>
  exports.default.fetch(input as string, init as RequestInit);

/** What a page loads before it makes its chat. */
export async function loadMessages(id: string, agent = "scripted"): Promise<UIMessage[]> {
  const response = await callWorker(`${api}/${id}/messages?agent=${agent}`);
  return ((await response.json()) as { messages: UIMessage[] }).messages;
}

/** What the SDK's transport posts; any part of it may be replaced. */
export const postChat = (id: string, body: object, query = "?agent=scripted"): Promise<Response> =>
  callWorker(`${api}${query}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, trigger: "submit-message", ...body }),
  });

export const resumeChat = (id: string, agent = "scripted"): Promise<Response> =>
  callWorker(`${api}/${id}/stream?agent=${agent}`);

export const stopTurn = (id: string, agent = "scripted"): Promise<Response> =>
  callWorker(`http://localhost/v1/agents/${agent}/sessions/${id}/stop`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });

export const asked = (id: string, text: string) => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

export const answered = (id: string, text: string) => ({ ...asked(id, text), role: "assistant" });

/** The text of a message's text parts. */
export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

/**
 * Holds the model and the tools before their `count`-th batch until `release`. It asks again and again: code that
 * awaited a promise of another object would go on inside that object, and die with it.
 */
export class Hold {
  #pauses = 0;
  #isReleased = false;
  readonly #count: number;

  constructor(count = 1) {
    this.#count = count;
    outside().pause = async () => {
      await breathe();
      this.#pauses++;
      while (this.#pauses >= this.#count && !this.#isReleased) await breathe();
    };
  }

  async reached(): Promise<void> {
    while (this.#pauses < this.#count) await breathe();
  }

  release(): void {
    this.#isReleased = true;
  }
}
