import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { wholeNumber } from "./query.ts";
import { addressOf, nameOf } from "./session-address.ts";
import { callRoutes } from "./session-calls.ts";
import { permissionRoutes } from "./session-permissions.ts";
import { planRoutes } from "./session-plan.ts";
import { stateRoutes } from "./session-state.ts";
import { callSession } from "./session-stub.ts";
import { taskRoutes } from "./session-tasks.ts";
import { turnRoutes } from "./session-turns.ts";

const MAX_TITLE = 200;

const TitleBody = z.strictObject({
  title: z
    .string()
    .trim()
    .max(MAX_TITLE)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, "must be one line without control characters"),
});

const ClearBody = z.strictObject({});

/** The native routes of one session, below `/v1/agents/:agent/sessions/:session`. */
export function sessionRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const parts = [turnRoutes(), callRoutes(), permissionRoutes(), planRoutes(), taskRoutes()];
  for (const part of [...parts, stateRoutes()]) routes.route("/", part);

  routes.get("/", async (c) => {
    const address = addressOf(c);
    const limit = wholeNumber("limit", c.req.query("limit"), 1, 200) ?? 50;
    const before = wholeNumber("before", c.req.query("before"), 1, Number.MAX_SAFE_INTEGER);
    const query = before === undefined ? { limit } : { limit, before };
    const { page } = await callSession(c.env, address, (session) =>
      session.history(address, query),
    );
    return c.json(page);
  });

  routes.patch("/", async (c) => {
    const { title } = await readBody(c.req.raw, TitleBody);
    const address = addressOf(c);
    const renamed = await callSession(c.env, address, (session) => session.rename(address, title));
    return c.json({ title: renamed.title });
  });

  routes.delete("/", async (c) => {
    const address = addressOf(c);
    const { isComplete } = await callSession(c.env, address, (session) => session.remove(address));
    return c.json({ deleted: true, complete: isComplete });
  });

  routes.post("/clear", async (c) => {
    await readBody(c.req.raw, ClearBody);
    const address = addressOf(c);
    await callSession(c.env, address, (session) => session.clear(address, nameOf(c)));
    return c.json({ cleared: true });
  });

  return routes;
}
