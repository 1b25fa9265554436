import { SYSTEM_PROMPT } from "./system-prompt.ts";

export type FloorEnv = { readonly MOCK_URL: string };

export type FloorCall = {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; arguments: string };
};

export type FloorMessage =
  | { readonly role: "user"; readonly content: string }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: FloorCall[];
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

type Delta = {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments?: string };
  }[];
};

type Chunk = { readonly choices?: readonly { readonly delta?: Delta }[] };

const TOOLS = [
  {
    type: "function",
    function: {
      name: "get_time",
      description: "Current time in a time zone",
      parameters: { type: "object", properties: { tz: { type: "string" } }, required: ["tz"] },
    },
  },
];

/** Asks the model with the whole history; gives the bytes of its answer as they come. */
export async function askModel(
  url: string,
  history: readonly FloorMessage[],
): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({
      model: "mock",
      stream: true,
      messages: [{ role: "system", content: SYSTEM_PROMPT }, ...history],
      tools: TOOLS,
    }),
  });
  return (response.body ?? []) as AsyncIterable<Uint8Array>;
}

/** Puts an answer together from its bytes. */
export class FloorAnswer {
  text = "";
  readonly calls: FloorCall[] = [];
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The text that these bytes add. */
  read(bytes: Uint8Array): string {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const before = this.text.length;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const event = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      if (event.startsWith("data: {")) this.#take(JSON.parse(event.slice(6)) as Chunk);
    }
    return this.text.slice(before);
  }

  /** The answer as a message of the history, then what its tool calls gave. */
  messages(): FloorMessage[] {
    if (this.calls.length === 0) return [{ role: "assistant", content: this.text }];
    return [
      {
        role: "assistant",
        content: this.text === "" ? null : this.text,
        tool_calls: this.calls,
      },
      ...this.calls.map((call): FloorMessage => {
        const { tz } = JSON.parse(call.function.arguments) as { tz: string };
        const content = JSON.stringify({ tz, now: new Date().toISOString() });
        return { role: "tool", tool_call_id: call.id, content };
      }),
    ];
  }

  #take(chunk: Chunk): void {
    const delta = chunk.choices?.[0]?.delta;
    if (delta?.content) this.text += delta.content;
    for (const part of delta?.tool_calls ?? []) {
      const call = (this.calls[part.index] ??= {
        id: part.id,
        type: "function",
        function: { name: part.function.name, arguments: "" },
      });
      call.function.arguments += part.function.arguments ?? "";
    }
  }
}
