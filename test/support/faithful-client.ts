import { createParser } from "eventsource-parser";
import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";
import type { HistoryMessage, HistoryPage, WhenBusy } from "../../src/shared/session-api.ts";
import type { Sent } from "./observation.ts";

export type ClientOptions = {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** The session's address: `…/v1/agents/main/sessions/s1`. */
  readonly base: string;
  /** Awaited before another try. */
  readonly breathe: () => Promise<void>;
  /** Tries of one thing before the client gives up, which fails the test. */
  readonly patience: number;
  /** Counts what all clients of the session do, in one order; this client's own doings by default. */
  readonly tick?: () => number;
};

/** Hears every event of one reader as it arrives. */
export type OnEvent = (event: SessionEvent) => void;

type Body =
  | { readonly message: string; readonly whenBusy?: WhenBusy }
  | { readonly regenerate: true };

/** An answer as the route takes it. */
export type Decision =
  | {
      readonly decision: "approve" | "deny";
      readonly digest: string;
      readonly [more: string]: unknown;
    }
  | { readonly result: unknown; readonly digest: string; readonly isError?: boolean };

/**
 * A client of one session that does what a good one does, whatever the server does: each request has a key and is
 * repeated with it until it is answered; a stream that breaks is resumed from its last event id. Keeps what was
 * sent, acknowledged and seen.
 */
export class FaithfulClient {
  readonly sent: Sent[] = [];
  readonly streams: IdentifiedEvent[][] = [];
  /** Broken streams and failed requests that were mended. */
  mended = 0;
  readonly #options: ClientOptions;
  readonly #tick: () => number;

  constructor(options: ClientOptions) {
    let now = 0;
    this.#options = options;
    this.#tick = options.tick ?? (() => ++now);
  }

  /** Posts and follows the answer to the end of its turn. */
  async talk(key: string, body: Body, onEvent: OnEvent = () => {}): Promise<void> {
    let turn = key;
    const reader = new Reader(onEvent, (event) => {
      if (event.type === "steered" && event.message === key) turn = event.turn;
      return event.type === "turn-end" && event.turn === turn;
    });
    this.streams.push(reader.events);
    await this.#persist(async () => {
      const { last } = reader;
      const response = last ? await this.#events(last) : await this.#post(key, body, true);
      await reader.read(response);
      return reader.isDone;
    });
  }

  /** Posts until it is acknowledged, and does not look at the answer. */
  async post(key: string, body: Body): Promise<void> {
    await this.#persist(async () => {
      await (await this.#post(key, body, false)).body?.cancel();
      return true;
    });
  }

  /** Follows the session from its first event until `isDone`. */
  async follow(
    isDone: (event: SessionEvent) => boolean,
    onEvent: OnEvent = () => {},
  ): Promise<void> {
    const reader = new Reader(onEvent, isDone);
    this.streams.push(reader.events);
    await this.#persist(async () => {
      await reader.read(await this.#events(reader.last ?? "0.0"));
      return reader.isDone;
    });
  }

  /** Says stop until it is acknowledged. */
  async stop(turn?: string): Promise<void> {
    const body = JSON.stringify(turn === undefined ? {} : { turn });
    await this.#persist(async () => {
      await (await this.#request("/stop", { method: "POST", headers: JSON_TYPE, body })).json();
      return true;
    });
  }

  /** Answers a parked call until that is acknowledged; the status of the answer, 200 or 409. */
  async answer(call: string, decision: Decision): Promise<number> {
    let status = 0;
    await this.#persist(async () => {
      const response = await this.#options.fetch(`${this.#options.base}/calls/${call}`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify(decision),
      });
      const text = await response.text();
      ({ status } = response);
      if (status >= 500) throw new Error(`${call}: ${status}`);
      if (status !== 200 && status !== 409) throw new Refused(`${call}: ${status} ${text}`);
      return true;
    });
    return status;
  }

  /** Changes something of the session until that is acknowledged. */
  async change(method: "PUT" | "PATCH" | "POST", path: string, body: unknown): Promise<void> {
    const init = { method, headers: JSON_TYPE, body: JSON.stringify(body) };
    await this.#persist(async () => {
      await (await this.#request(path, init)).json();
      return true;
    });
  }

  /** The events from "0.0" on up to the end of `turns` turns. */
  async replay(turns: number): Promise<IdentifiedEvent[]> {
    if (turns === 0) return [];
    let ended = 0;
    const reader = new Reader(
      () => {},
      (event) => event.type === "turn-end" && ++ended === turns,
    );
    await reader.read(await this.#events("0.0"));
    return reader.events;
  }

  /** All messages of the history, page by page, oldest first. */
  async history(): Promise<HistoryMessage[]> {
    const messages: HistoryMessage[] = [];
    for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
      const page = (await this.#json(`?before=${before}`)) as HistoryPage;
      messages.unshift(...page.messages);
      before = page.before;
    }
    return messages;
  }

  /** The session's state document. */
  state(): Promise<unknown> {
    return this.#json("/state");
  }

  async #json(path: string): Promise<unknown> {
    let value: unknown;
    await this.#persist(async () => {
      value = await (await this.#request(path)).json();
      return true;
    });
    return value;
  }

  #events(after: string): Promise<Response> {
    return this.#request("/events", { headers: { "last-event-id": after } });
  }

  async #post(key: string, body: Body, isStream: boolean): Promise<Response> {
    const text = "message" in body ? body.message : null;
    const own = (sent: Sent) => sent.key === key;
    if (!this.sent.some(own)) this.sent.push({ key, text, sentAt: this.#tick(), ackedAt: null });
    const headers = { ...JSON_TYPE, "idempotency-key": key, accept: isStream ? STREAM : "*/*" };
    const response = await this.#request("/turns", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const at = this.sent.findIndex(own);
    const sent = this.sent[at];
    if (sent && sent.ackedAt === null) this.sent[at] = { ...sent, ackedAt: this.#tick() };
    return response;
  }

  async #request(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.#options.fetch(this.#options.base + path, init);
    if (response.ok) return response;
    const text = await response.text();
    if (response.status < 500) throw new Refused(`${path}: ${response.status} ${text}`);
    throw new Error(`${path}: ${response.status}`);
  }

  async #persist(attempt: () => Promise<boolean>): Promise<void> {
    let failure: unknown = "a stream ended early";
    for (let tries = 0; tries < this.#options.patience; tries++) {
      try {
        if (await attempt()) return;
      } catch (error) {
        if (error instanceof Refused) throw error;
        failure = error;
      }
      this.mended++;
      await this.#options.breathe();
    }
    throw new Error(`gave up: ${String(failure)}`);
  }
}

const STREAM = "text/event-stream";
const JSON_TYPE = { "content-type": "application/json" };

/** The server says that the request itself is wrong: trying again would not help. */
class Refused extends Error {}

/** One reader over as many connections as it takes. */
class Reader {
  readonly events: IdentifiedEvent[] = [];
  isDone = false;
  readonly #onEvent: OnEvent;
  readonly #isLast: (event: SessionEvent) => boolean;

  constructor(onEvent: OnEvent, isLast: (event: SessionEvent) => boolean) {
    this.#onEvent = onEvent;
    this.#isLast = isLast;
  }

  get last(): string | undefined {
    return this.events.at(-1)?.id;
  }

  /** Reads until the last event that matters, then hangs up; returns or throws when the stream breaks before. */
  async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ id, data }) => {
        if (id === undefined || this.isDone) return;
        const event = JSON.parse(data) as SessionEvent;
        this.events.push({ id, event });
        this.isDone = this.#isLast(event);
        this.#onEvent(event);
      },
    });
    const body = response.body?.getReader();
    for (let chunk = await body?.read(); chunk && !chunk.done; chunk = await body?.read()) {
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      if (this.isDone) return await body?.cancel();
    }
  }
}
