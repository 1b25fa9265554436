import { Hono } from "hono";
import { listSessions } from "../bindings.ts";
import type { AppEnv } from "./app-env.ts";
import { exactQueryOf } from "./files-query.ts";
import { wholeNumber } from "./query.ts";

const MAX_PAGE = 100;

/** The caller's sessions with one agent, below `/v1/agents/:agent/sessions`. */
export function sessionListRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    const query = exactQueryOf(c.req.raw, ["limit", "cursor"]);
    const limit = wholeNumber("limit", query.get("limit"), 1, MAX_PAGE) ?? 50;
    const agent = c.req.param("agent") ?? "";
    const { user } = c.get("principal");
    const page = await listSessions(c.env, user, agent, query.get("cursor") ?? null, limit);
    return c.json({ sessions: page.items, cursor: page.cursor });
  });

  return routes;
}
