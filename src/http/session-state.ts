import { Hono } from "hono";
import * as z from "zod";
import { sessionAddress } from "../shared/ids.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { forbidden, ownerOf } from "./files-target.ts";
import { exactQueryOf } from "./files-query.ts";
import { addressOf, nameOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";

const StateBody = z.record(z.string(), z.unknown());

/** A session as one document: taken out by its user, put in by an admin. */
export function stateRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/state", async (c) => {
    const address = addressOf(c);
    const { state } = await callSession(c.env, address, (session) => session.state(address));
    return c.json(state as Record<string, unknown>);
  });

  routes.put("/state", async (c) => {
    if (c.get("principal").role !== "admin")
      throw forbidden("Only an admin may put in the state of a session.");
    const { agent, session: id } = addressOf(c);
    const { user } = ownerOf(c, exactQueryOf(c.req.raw, ["user"]));
    const address = sessionAddress(agent, user, id);
    const state = await readBody(c.req.raw, StateBody);
    const { messages } = await callSession(c.env, address, (session) =>
      session.importState(address, state, nameOf(c)),
    );
    return c.json({ messages });
  });

  return routes;
}
