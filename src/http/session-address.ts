import type { Context } from "hono";
import { sessionAddress } from "../shared/ids.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { AppEnv } from "./app-env.ts";

/** The session that a route names: its user from the credential, the rest from the path. */
export const addressOf = (c: Context<AppEnv>): SessionAddress =>
  sessionAddress(c.req.param("agent") ?? "", c.get("principal").user, c.req.param("session") ?? "");

/** The caller's name, for what a session stores of who did something. */
export const nameOf = (c: Context<AppEnv>): string => c.get("principal").user;
