import { Hono, type Context } from "hono";
import * as z from "zod";
import { saveSettings, settingsOf } from "../bindings.ts";
import type { UserSettings } from "../shared/registry-api.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { exactQueryOf } from "./files-query.ts";
import { TimeZone } from "./time-zone.ts";

/** Whole: what is left out would be forgotten, so nothing may be. */
const SettingsBody = z.strictObject({ timeZone: TimeZone.nullable() });

/** What the caller has chosen for all agents, at `/v1/me/settings`. */
export function settingsRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    exactQueryOf(c.req.raw, []);
    return answer(c, await settingsOf(c.env, c.get("principal").user));
  });

  routes.put("/", async (c) => {
    exactQueryOf(c.req.raw, []);
    const settings = await readBody(c.req.raw, SettingsBody);
    await saveSettings(c.env, c.get("principal").user, settings);
    return answer(c, settings);
  });

  return routes;
}

const answer = (c: Context<AppEnv>, { timeZone }: UserSettings): Response =>
  c.json({ timeZone }, 200, { "cache-control": "private, no-store" });
