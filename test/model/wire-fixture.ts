import type { ModelFixture, Scenario } from "../contracts/model-contract.ts";
import { plainRequest } from "../contracts/model-requests.ts";
import { inPieces } from "../contracts/model-wire-fetch.ts";
import type { Recording, Wire } from "../contracts/model-wire-contract.ts";
import { createWireServer } from "../support/wire-server.ts";

export type Recordings = Readonly<Partial<Record<Scenario, Recording>>> & {
  readonly text: Recording;
  readonly "tool-call": Recording;
};

/** The contract's fixture for an adapter, from recordings of its dialect and a server that plays them. */
export function wireFixture(
  recordings: Recordings,
  wire: Omit<Wire, "text" | "call" | "peer">,
): ModelFixture {
  const server = createWireServer();
  return {
    can: Object.keys(recordings) as Scenario[],
    ask(scenario) {
      const recording = recordings[scenario] ?? recordings.text;
      return {
        model: wire.create(inPieces(eventsOf(recording.body))),
        request: plainRequest,
        answer: recording.answer,
      };
    },
    wire: { ...wire, text: recordings.text, call: recordings["tool-call"], peer: server },
    start: () => server.start(),
    close: () => server.close(),
  };
}

/** Server-sent events without names, as chat completions send them. */
export const frames = (...data: readonly (object | string)[]): string =>
  data
    .map((item) => `data: ${typeof item === "string" ? item : JSON.stringify(item)}\n\n`)
    .join("");

/** A body cut after each event. */
const eventsOf = (body: string): Uint8Array[] =>
  body.split(/(?<=\n\n)/).map((event) => new TextEncoder().encode(event));
