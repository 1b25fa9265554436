import { exports } from "cloudflare:workers";
import type { PendingCall, SessionEvent } from "../../src/shared/events.ts";
import type { HistoryPage, PermissionsView } from "../../src/shared/session-api.ts";
import { parseFrames } from "../support/client.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { clientOf } from "./session-object.ts";

type Options = { readonly key?: string; readonly headers?: Readonly<Record<string, string>> };

export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
};

const EVENTS = { accept: "text/event-stream" };

/** One session over the native routes, as its person uses them, or as somebody else tries to. */
export class NativeClient {
  readonly session: string;
  readonly #base: string;
  readonly #agent: string;
  readonly #user: string;

  constructor(session: string, agent = "asking", user = "local") {
    this.session = session;
    this.#agent = agent;
    this.#user = user;
    this.#base = `http://localhost/v1/agents/${agent}/sessions`;
  }

  /** Another session of the same user. */
  of(session: string): NativeClient {
    return new NativeClient(session, this.#agent, this.#user);
  }

  /** A request to the session's address with `path` after it; the body is sent as JSON. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return exports.default.fetch(`${this.#base}/${this.session}${path}`, {
      method,
      headers: { ...type, "x-carrel-user": this.#user, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async ask(method: string, path: string, body?: unknown, options: Options = {}): Promise<Answer> {
    const key: Record<string, string> =
      options.key === undefined ? {} : { "idempotency-key": options.key };
    const response = await this.send(method, path, body, { ...key, ...options.headers });
    return { status: response.status, body: await response.json(), headers: response.headers };
  }

  /** Posts a message that the scripted model follows, and gives what is said until the turn ends or waits. */
  async say(steps: readonly ScriptedStep[], key: string, more: object = {}) {
    return this.events("POST", "/turns", { message: script(...steps), ...more }, { key });
  }

  /** The events of a request that asks for them. */
  async events(
    method: string,
    path: string,
    body?: unknown,
    options: Options = {},
  ): Promise<SessionEvent[]> {
    const key: Record<string, string> =
      options.key === undefined ? {} : { "idempotency-key": options.key };
    const response = await this.send(method, path, body, { ...EVENTS, ...key, ...options.headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    return parseFrames(text).map(({ event }) => event);
  }

  async history(): Promise<HistoryPage> {
    return (await this.ask("GET", "")).body as HistoryPage;
  }

  async permissions(): Promise<PermissionsView> {
    return (await this.ask("GET", "/permissions")).body as PermissionsView;
  }

  /** The call that waits, of which there has to be one. */
  async pending(): Promise<PendingCall> {
    const [call, ...others] = (await this.history()).status.pending;
    if (!call || others.length > 0) throw new Error("not exactly one call waits");
    return call;
  }

  answer(call: Pick<PendingCall, "call" | "digest">, body: object): Promise<Answer> {
    return this.ask("POST", `/calls/${call.call}`, { digest: call.digest, ...body });
  }

  /** The caller's sessions with this agent. */
  async list(query = ""): Promise<Answer> {
    const headers = { "x-carrel-user": this.#user };
    const response = await exports.default.fetch(`${this.#base}${query}`, { headers });
    return { status: response.status, body: await response.json(), headers: response.headers };
  }
}

/** A step in which the model calls these tools, with these arguments. */
export const calls = (
  ...made: readonly (readonly [name: string, input?: object])[]
): ScriptedStep => ({
  calls: made.map(([name, input = {}]) => ({ name, input: JSON.stringify(input) })),
});

export const eventsOf = <Type extends SessionEvent["type"]>(
  events: readonly SessionEvent[],
  type: Type,
): Extract<SessionEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type);

/** Everything that the session says from its beginning until so many turns have ended. */
export async function untilEnded(
  session: string,
  turns: number,
  agent = "asking",
): Promise<SessionEvent[]> {
  const client = clientOf(session, agent);
  let ended = 0;
  await client.follow((event) => event.type === "turn-end" && ++ended === turns);
  return (client.streams[0] ?? []).map(({ event }) => event);
}
