import { Hono } from "hono";
import * as z from "zod";
import { invalid } from "../shared/errors.ts";
import { parseKey } from "../shared/ids.ts";
import type { AcceptRequest, WhenBusy } from "../shared/session-api.ts";
import { compileSchema } from "../turn/output/output-schema.ts";
import type { AppEnv } from "./app-env.ts";
import { checkShape, readBody } from "./body.ts";
import { eventStream, wantsEvents } from "./event-stream.ts";
import { given } from "./files-query.ts";
import { digestOf, Message } from "./message.ts";
import { addressOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";
import { TimeZone } from "./time-zone.ts";

const whenBusy = z.enum(["queue", "steer", "replace"] satisfies WhenBusy[]).optional();
const timeZone = TimeZone.optional();

const NewMessage = z.strictObject({
  message: Message,
  output: z.strictObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
  whenBusy,
  timeZone,
});

/** The wish for another answer: to the newest message, or to the one that is named. */
const Regenerate = z.strictObject({
  regenerate: z.union([z.literal(true), z.string().min(1).max(160)], "must be true or an id"),
  whenBusy,
  timeZone,
});

const StopBody = z.strictObject({ turn: z.string().min(1).max(128).optional() });

/** Turns of one session: begin, follow and stop them. */
export function turnRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/turns", async (c) => {
    const asked = toInput(await readBody(c.req.raw, z.unknown()));
    const key = parseKey(c.req.header("idempotency-key") ?? crypto.randomUUID());
    const address = addressOf(c);
    const request: AcceptRequest = { key, digest: await digestOf(asked.input), ...asked };
    if (wantsEvents(c)) {
      const { events } = await callSession(c.env, address, (session) =>
        session.acceptAndTail(address, request),
      );
      return eventStream(events);
    }
    const { turn } = await callSession(c.env, address, (session) =>
      session.accept(address, request),
    );
    return c.json({ turn }, 202);
  });

  routes.get("/events", async (c) => {
    const address = addressOf(c);
    if (c.req.method === "HEAD") return eventStream(null);
    const after = c.req.header("last-event-id") ?? c.req.query("after") ?? "0.0";
    const { events } = await callSession(c.env, address, (session) =>
      session.openTail(address, { after }),
    );
    return eventStream(events);
  });

  routes.post("/stop", async (c) => {
    const { turn } = await readBody(c.req.raw, StopBody);
    const address = addressOf(c);
    const stopped = await callSession(c.env, address, (session) => session.stop(address, turn));
    return c.json({ turn: stopped.turn });
  });

  return routes;
}

type Asked = Pick<AcceptRequest, "input" | "whenBusy" | "timeZone">;

/** What a body asks for. `input` is all that a retry has to repeat: one that chooses otherwise is the same message. */
function toInput(json: unknown): Asked {
  const isObject = typeof json === "object" && json !== null;
  if (!isObject || !("message" in json || "regenerate" in json))
    throw invalid('Send {"message": "..."} or {"regenerate": true}.');
  return "regenerate" in json ? toRegenerate(json) : toMessage(json);
}

function toMessage(json: unknown): Asked {
  const { message, output, ...choice } = checkShape(NewMessage, json);
  // Refused now rather than when its turn begins.
  if (output) compileSchema(output.schema);
  return { input: { kind: "message", content: message, ...given({ output }) }, ...given(choice) };
}

function toRegenerate(json: unknown): Asked {
  const { regenerate, ...choice } = checkShape(Regenerate, json);
  const reply = regenerate === true ? {} : { reply: regenerate };
  return { input: { kind: "regenerate", ...reply }, ...given(choice) };
}
