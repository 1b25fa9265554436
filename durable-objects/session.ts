import { DurableObject } from "cloudflare:workers";
import { registerSession } from "../src/bindings.ts";
import type { Env } from "../src/env.ts";
import type { Deployment } from "../src/harness.ts";
import { systemClock } from "../src/shared/clock.ts";
import { CarrelError } from "../src/shared/errors.ts";
import { parseSessionKey, sessionKey } from "../src/shared/ids.ts";
import { consoleLog } from "../src/shared/log.ts";
import { noPoint, type Point } from "../src/shared/point.ts";
import {
  type AcceptRequest,
  type Failure,
  type SessionAddress,
  type SessionApi,
  STREAM_ANSWER,
  type TailRequest,
} from "../src/shared/session-api.ts";
import { Session } from "../src/turn/session.ts";
import { platformSql } from "./sql.ts";

type StreamCall =
  | { readonly method: "acceptAndTail"; readonly args: [SessionAddress, AcceptRequest] }
  | { readonly method: "openTail"; readonly args: [SessionAddress, TailRequest] };

/** The class of session objects for a deployment: one object a session. It owns time, order and storage, and decides nothing. */
export function sessionObject(deployment: Deployment) {
  return class extends DurableObject<Env> implements SessionApi {
    readonly #address: SessionAddress;
    readonly #session: Session;
    /** Free in production; crash tests end the object here. */
    protected point: Point = noPoint;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      this.#address = parseSessionKey(ctx.id.name);
      this.#session = new Session(
        {
          address: this.#address,
          sql: platformSql(ctx.storage),
          clock: systemClock,
          setAlarm: (at) => void ctx.storage.setAlarm(at),
          sync: () => ctx.storage.sync(),
          keepAlive: (work) => ctx.waitUntil(work),
          register: () => registerSession(env, this.#address, systemClock.now()),
          newId: () => crypto.randomUUID(),
          point: (name) => this.point(name),
          log: consoleLog,
        },
        deployment.harness(this.#address.agent, env),
      );
    }

    accept(address: SessionAddress, request: AcceptRequest) {
      return this.#answer("accept", address, async () => {
        const accepted = this.#session.accept(request);
        await this.#session.whenRegistered();
        return accepted;
      });
    }

    acceptAndTail(address: SessionAddress, request: AcceptRequest) {
      return this.#answer("acceptAndTail", address, async () => {
        const accepted = this.#session.accept(request);
        const run = this.#session.tail({ until: accepted.turn.turn });
        await this.#session.whenRegistered();
        return { ...accepted, events: this.#stream(run) };
      });
    }

    openTail(address: SessionAddress, request: TailRequest) {
      return this.#answer("openTail", address, () => ({
        events: this.#stream(this.#session.tail(request)),
      }));
    }

    /** `acceptAndTail` or `openTail` with the stream as a body, which costs less than one over RPC. */
    override async fetch(request: Request): Promise<Response> {
      const { method, args } = await request.json<StreamCall>();
      const answer =
        method === "openTail" ? await this.openTail(...args) : await this.acceptAndTail(...args);
      if (!answer.ok) return Response.json(answer);
      const { events, ...head } = answer;
      return new Response(events, { headers: { [STREAM_ANSWER]: JSON.stringify(head) } });
    }

    stop(address: SessionAddress, turn?: string) {
      return this.#answer("stop", address, () => ({ turn: this.#session.stop(turn) }));
    }

    history(address: SessionAddress, page: { readonly before?: number; readonly limit: number }) {
      return this.#answer("history", address, () => ({ page: this.#session.history(page) }));
    }

    state(address: SessionAddress) {
      return this.#answer("state", address, () => ({ state: this.#session.state() as unknown }));
    }

    current(address: SessionAddress) {
      return this.#answer("current", address, () => ({ turn: this.#session.current() }));
    }

    override alarm(): Promise<void> {
      return this.#session.alarm();
    }

    /** Expected failures leave as data: error classes do not survive the way to the Worker. */
    async #answer<Result extends object>(
      name: string,
      address: SessionAddress,
      work: () => Result | Promise<Result>,
    ): Promise<(Result & { readonly ok: true }) | Failure> {
      this.point(`rpc:${name}:before`);
      try {
        if (sessionKey(address) !== sessionKey(this.#address))
          throw new Error("called for another session");
        const result = { ...(await work()), ok: true as const };
        this.point(`rpc:${name}:after`);
        return result;
      } catch (error) {
        if (error instanceof CarrelError)
          return { ok: false, code: error.code, message: error.message };
        throw error;
      }
    }

    /**
     * The bytes of a tail. Writes to this kind of stream wait for the output gate, so nothing is seen before it
     * is stored; a stream made in JavaScript would not wait. A reader that leaves ends its tail and nothing else;
     * a tail that fails breaks its stream off, and the reader resumes.
     */
    #stream(
      run: (write: (text: string) => Promise<void>) => Promise<void>,
    ): ReadableStream<Uint8Array> {
      const { readable, writable } = new IdentityTransformStream();
      const writer = writable.getWriter();
      const encoder = new TextEncoder();
      this.ctx.waitUntil(
        run((text) => writer.write(encoder.encode(text)))
          .then(() => writer.close())
          .catch((error: unknown) => writer.abort(error).catch(() => {})),
      );
      return readable;
    }
  };
}
