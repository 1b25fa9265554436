import type { Context, Hono } from "hono";
import { CarrelError, notFound } from "../shared/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { toProblem } from "./problem.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * What is answered where no route does it: 404, with the methods that the address takes, if it takes any; those alone
 * for OPTIONS. No foreign page is allowed anything.
 */
export const noRoute =
  (app: Hono<AppEnv>) =>
  (c: Context<AppEnv>): Response => {
    const taken = METHODS.filter((method) => hasRoute(app, method, c.req.path));
    if (taken.length === 0) return toProblem(notFound("This route"), c);
    const allowed = taken.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    c.header("allow", allowed.join(", "));
    if (c.req.method === "OPTIONS") return c.body(null, 204);
    const message = `This address takes ${allowed.join(", ")}, and nothing else.`;
    return toProblem(new CarrelError("not_found", message), c);
  };

/** Middleware, which stands in the same list, is for every method. */
const hasRoute = (app: Hono<AppEnv>, method: string, path: string): boolean =>
  app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
