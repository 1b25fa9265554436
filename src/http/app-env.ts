import type { Env } from "../env.ts";
import type { Deployment } from "../harness.ts";
import type { Principal } from "./principal.ts";

/** What every route may ask its context for. The principal is there on all routes but the open ones. */
export type AppEnv = {
  readonly Bindings: Env;
  readonly Variables: { principal: Principal; deployment: Deployment };
};
