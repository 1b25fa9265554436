import { Hono } from "hono";
import * as z from "zod";
import { invalid } from "../shared/errors.ts";
import { parseKey, sessionAddress } from "../shared/ids.ts";
import type { SessionAddress, TurnInput } from "../shared/session-api.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { digestOf, Message } from "./message.ts";
import { callSession } from "./session-stub.ts";

/** What a POST to `turns` holds: a message, or the wish for another answer to the newest one. */
const TurnBody = z.union(
  [
    z.strictObject({ message: Message }),
    z.strictObject({ regenerate: z.union([z.literal(true), z.string().min(1).max(160)]) }),
  ],
  'send {"message": "..."} or {"regenerate": true}',
);

const StopBody = z.strictObject({ turn: z.string().min(1).max(128).optional() });

const EVENT_STREAM: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The native routes of one session, below `/v1/agents/:agent/sessions/:session`. */
export function sessionRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/turns", async (c) => {
    const body = await readBody(c.req.raw, TurnBody);
    const input = toInput(body);
    const key = parseKey(c.req.header("idempotency-key") ?? crypto.randomUUID());
    const address = addressOf(c.get("principal").user, c.req.param());
    const request = { key, digest: await digestOf(input), input };
    if (accepts(c.req.header("accept"))) {
      const { events } = await callSession(c.env, address, (session) =>
        session.acceptAndTail(address, request),
      );
      return new Response(events, { headers: EVENT_STREAM });
    }
    const { turn } = await callSession(c.env, address, (session) =>
      session.accept(address, request),
    );
    return c.json({ turn }, 202);
  });

  routes.get("/events", async (c) => {
    const address = addressOf(c.get("principal").user, c.req.param());
    const after = c.req.header("last-event-id") ?? c.req.query("after") ?? "0.0";
    const { events } = await callSession(c.env, address, (session) =>
      session.openTail(address, { after }),
    );
    return new Response(events, { headers: EVENT_STREAM });
  });

  routes.post("/stop", async (c) => {
    const { turn } = await readBody(c.req.raw, StopBody);
    const address = addressOf(c.get("principal").user, c.req.param());
    const stopped = await callSession(c.env, address, (session) => session.stop(address, turn));
    return c.json({ turn: stopped.turn });
  });

  routes.get("/", async (c) => {
    const address = addressOf(c.get("principal").user, c.req.param());
    const limit = wholeNumber("limit", c.req.query("limit"), 1, 200) ?? 50;
    const before = wholeNumber("before", c.req.query("before"), 1, Number.MAX_SAFE_INTEGER);
    const query = before === undefined ? { limit } : { limit, before };
    const { page } = await callSession(c.env, address, (session) =>
      session.history(address, query),
    );
    return c.json(page);
  });

  routes.get("/state", async (c) => {
    const address = addressOf(c.get("principal").user, c.req.param());
    const { state } = await callSession(c.env, address, (session) => session.state(address));
    return c.json(state as Record<string, unknown>);
  });

  return routes;
}

function toInput(body: z.output<typeof TurnBody>): TurnInput {
  if ("message" in body) return { kind: "message", content: body.message };
  return body.regenerate === true
    ? { kind: "regenerate" }
    : { kind: "regenerate", reply: body.regenerate };
}

/** The address of a session: the user from the credential, the rest from the route. */
function addressOf(user: string, route: Record<string, string | undefined>): SessionAddress {
  return sessionAddress(route.agent ?? "", user, route.session ?? "");
}

const accepts = (header: string | undefined): boolean =>
  header?.includes("text/event-stream") === true;

/** A number from a query, `undefined` when it is not there. Throws `CarrelError('invalid')` that names it and its bounds. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value < min || value > max) {
    throw invalid(`"${name}" must be a whole number from ${min} to ${max}.`);
  }
  return value;
}
