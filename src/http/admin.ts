import { Hono } from "hono";
import * as z from "zod";
import { notFound } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { maintenanceRoutes } from "./maintenance.ts";
import { audit, forbidden } from "./files-target.ts";

/** Whose bucket to rescan: the caller's own by default, or the agent's shared one. */
const RescanBody = z.strictObject({
  agent: z.string(),
  user: z.string().optional(),
  session: z.string().optional(),
  layer: z.enum(["own", "shared"]).default("own"),
});

/** What only admins may do, below `/v1/admin`. */
export function adminRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.use("/*", async (c, next) => {
    if (c.get("principal").role !== "admin") throw forbidden("Only an admin may use this route.");
    await next();
  });

  routes.post("/rescan", async (c) => {
    const body = await readBody(c.req.raw, RescanBody);
    const deployment = c.get("deployment");
    const agent = parseId("The agent id", body.agent);
    if (!deployment.has(agent)) throw notFound(`The agent "${agent}"`);
    const user = parseId("The user id", body.user ?? c.get("principal").user);
    const session = body.session === undefined ? null : parseId("The session id", body.session);
    audit(c, body.layer === "shared" ? "shared" : user);
    const workspace =
      body.layer === "shared"
        ? deployment.sharedWorkspace(agent, c.env)
        : deployment.workspace(agent, c.env, { agent, user, session });
    return c.json(await workspace.rescan());
  });

  routes.route(
    "/maintenance",
    maintenanceRoutes((c) => c.get("deployment").maintenance(c.env)),
  );

  return routes;
}
