import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NO_REPLY } from "../../src/memory/flush/prompt.ts";

/** One question to the model, open until the test ends its answer. */
export type Ask = {
  /** The roles of the messages it was sent. */
  readonly roles: readonly string[];
  say(text: string): void;
  think(text: string): void;
  call(name: string, input: string): void;
  finish(reason?: "stop" | "tool_calls"): void;
  fail(status: number, message: string): void;
  /** Resolves when the asker hung up. */
  readonly hungUp: Promise<void>;
};

type Question = {
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly unknown[];
};

/**
 * A model behind chat completions whose every word a test says. What it is asked without tools is no turn: there it
 * finds nothing to remember.
 */
export class PlayedModel {
  readonly #server: Server;
  readonly #asks: Ask[] = [];
  readonly #waiting: ((ask: Ask) => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.#take(Buffer.concat(chunks).toString("utf8"), response));
    });
  }

  static async start(): Promise<PlayedModel> {
    const model = new PlayedModel();
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  /** What the Worker needs to use it. */
  get env(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    return { MODEL: "openai-compatible:played", OPENAI_COMPATIBLE_BASE_URL: url };
  }

  /** The next question; waits for it. */
  next(): Promise<Ask> {
    const ask = this.#asks.shift();
    return ask ? Promise.resolve(ask) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(body: string, response: ServerResponse): void {
    const { messages, tools = [] } = JSON.parse(body) as Question;
    const ask = answer(
      response,
      messages.map(({ role }) => role),
    );
    if (tools.length === 0) {
      ask.say(NO_REPLY);
      return ask.finish();
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting(ask);
    else this.#asks.push(ask);
  }
}

function answer(response: ServerResponse, roles: readonly string[]): Ask {
  const send = (delta: unknown, finish: string | null = null) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`);
  };
  return {
    roles,
    say: (content) => send({ content }),
    think: (reasoning) => send({ reasoning }),
    call: (name, input) =>
      send({
        tool_calls: [
          { index: 0, id: "call_1", type: "function", function: { name, arguments: input } },
        ],
      }),
    finish: (reason = "stop") => {
      send({}, reason);
      response.end("data: [DONE]\n\n");
    },
    fail: (status, message) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message } }));
    },
    hungUp: new Promise((resolve) => response.once("close", resolve)),
  };
}
