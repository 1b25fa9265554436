import { Hono } from "hono";
import type { AppEnv } from "./app-env.ts";
import { exactQueryOf } from "./files-query.ts";
import { ownerOf } from "./files-target.ts";

/** What the agent's prompt is made of for this caller and what it costs, at `/v1/agents/:agent/doctor`. */
export function doctorRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    const owner = ownerOf(c, exactQueryOf(c.req.raw, ["user", "session"]));
    const report = await c.get("deployment").doctor(owner.agent, c.env, owner);
    return c.json(report, 200, { "cache-control": "private, no-store" });
  });

  return routes;
}
