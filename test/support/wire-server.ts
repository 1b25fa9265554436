import { once } from "node:events";
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Peer } from "../contracts/model-wire-contract.ts";

export type WireServer = Peer & {
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A model's server on 127.0.0.1 that says what it is told to say, whatever is asked. */
export function createWireServer(): WireServer {
  let answer: { body: string; hold?: boolean } = { body: "" };
  let held = Promise.resolve<unknown>(undefined);
  const server = createServer((request, response: ServerResponse) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(answer.body);
    if (answer.hold) held = once(response, "close");
    else response.end();
  });
  return {
    async start() {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
    play(next) {
      answer = next;
    },
    async hungUp() {
      await held;
    },
    fetch(input, init) {
      const path = new URL(input instanceof Request ? input.url : String(input)).pathname;
      const { port } = server.address() as AddressInfo;
      return fetch(`http://127.0.0.1:${port}${path}`, init);
    },
  };
}
