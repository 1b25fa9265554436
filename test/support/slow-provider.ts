import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type SlowProvider = {
  /** For OPENAI_COMPATIBLE_BASE_URL. */
  readonly url: string;
  /** Requests that came, answers that were sent to their end, and connections that were closed before. */
  readonly asked: number;
  readonly answered: number;
  readonly cut: number;
  /** Resolves once that many answers were sent whole or cut. */
  over(count: number): Promise<void>;
  close(): Promise<void>;
};

/** A model server on 127.0.0.1 that says `tokens`, one every `everyMs` milliseconds, whatever it is asked. */
export async function startSlowProvider(answer: {
  readonly tokens: readonly string[];
  readonly everyMs: number;
}): Promise<SlowProvider> {
  const counts = { asked: 0, answered: 0, cut: 0 };
  let onOver: (() => void) | null = null;
  const server = createServer((request, response) => {
    request.resume();
    counts.asked += 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = speak(response, answer);
    response.once("close", () => {
      clearTimeout(timer.current);
      counts[response.writableFinished ? "answered" : "cut"] += 1;
      onOver?.();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get asked() {
      return counts.asked;
    },
    get answered() {
      return counts.answered;
    },
    get cut() {
      return counts.cut;
    },
    over: (count) =>
      new Promise((resolve) => {
        onOver = () => counts.answered + counts.cut >= count && resolve();
        onOver();
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function speak(
  response: ServerResponse,
  { tokens, everyMs }: { readonly tokens: readonly string[]; readonly everyMs: number },
): { current: NodeJS.Timeout | undefined } {
  const timer: { current: NodeJS.Timeout | undefined } = { current: undefined };
  let at = 0;
  const next = () => {
    const token = tokens[at++];
    if (token === undefined) {
      response.end(`${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
      return;
    }
    response.write(chunk({ delta: { content: token }, finish_reason: null }));
    timer.current = setTimeout(next, everyMs);
  };
  next();
  return timer;
}

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`;
