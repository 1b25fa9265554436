import { type Context, Hono } from "hono";
import * as z from "zod";
import { ModeSchema, PermissionsChangeSchema } from "../permissions/rule-schema.ts";
import type { PermissionsChange, PermissionsView } from "../shared/session-api.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { given } from "./files-query.ts";
import { addressOf, nameOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";

const Change = PermissionsChangeSchema.refine(
  (change) => Object.values(change).some((part) => part !== undefined),
  "send at least one of mode, allow, ask and deny; a list takes the place of the one there is",
);

const ModeBody = z.strictObject({ mode: ModeSchema });

/** What a session's person allows. */
export function permissionRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/permissions", async (c) => c.json(await view(c)));

  routes.put("/permissions", async (c) => {
    const change = given(await readBody(c.req.raw, Change));
    return c.json(await set(c, change));
  });

  routes.get("/mode", async (c) => c.json({ mode: (await view(c)).session.mode }));

  routes.put("/mode", async (c) => {
    const change = await readBody(c.req.raw, ModeBody);
    return c.json({ mode: (await set(c, change)).session.mode });
  });

  return routes;
}

async function view(c: Context<AppEnv>): Promise<PermissionsView> {
  const address = addressOf(c);
  const { permissions } = await callSession(c.env, address, (session) =>
    session.permissions(address),
  );
  return permissions;
}

async function set(c: Context<AppEnv>, change: PermissionsChange): Promise<PermissionsView> {
  const address = addressOf(c);
  const { permissions } = await callSession(c.env, address, (session) =>
    session.setPermissions(address, change, nameOf(c)),
  );
  return permissions;
}
