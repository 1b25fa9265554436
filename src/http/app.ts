import { Hono, type MiddlewareHandler } from "hono";
import { parseApiKeys } from "../env.ts";
import type { Deployment } from "../harness.ts";
import { notFound } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import { adminRoutes } from "./admin.ts";
import type { AppEnv } from "./app-env.ts";
import { archiveRoutes } from "./archive.ts";
import { chatRoutes } from "./chat.ts";
import { doctorRoutes } from "./doctor.ts";
import { fileRoutes } from "./files.ts";
import { memoryRoutes } from "./memory.ts";
import { noRoute } from "./no-route.ts";
import { authenticate } from "./principal.ts";
import { toProblem } from "./problem.ts";
import { searchRoutes } from "./search.ts";
import { sessionListRoutes } from "./session-list.ts";
import { sessionRoutes } from "./sessions.ts";
import { settingsRoutes } from "./settings.ts";
import { skillRoutes } from "./skills.ts";

/** The HTTP surface of a deployment. `/healthz` and the static page are open; everything else knows its caller. */
export function createApp(deployment: Deployment): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError(toProblem);
  app.notFound(noRoute(app));

  app.get("/healthz", (c) => c.json({ ok: true }));

  app.use("/v1/*", signedIn(deployment));
  app.use("/v1/agents/:agent/*", knownAgent);
  app.route("/v1/agents/:agent/sessions", sessionListRoutes());
  app.route("/v1/agents/:agent/sessions/:session", sessionRoutes());
  app.route("/v1/agents/:agent/files", fileRoutes());
  app.route("/v1/agents/:agent/archive", archiveRoutes());
  app.route("/v1/agents/:agent/search", searchRoutes());
  app.route("/v1/agents/:agent/doctor", doctorRoutes());
  app.route(
    "/v1/agents/:agent/memory",
    memoryRoutes((c) => c.get("deployment").memoryTokens(c.req.param("agent") ?? "")),
  );
  app.route("/v1/agents/:agent/skills", skillRoutes());
  app.route("/v1/me/settings", settingsRoutes());
  app.route("/v1/admin", adminRoutes());

  app.use("/api/*", signedIn(deployment));
  app.route("/api/chat", chatRoutes());
  return app;
}

const signedIn =
  (deployment: Deployment): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    c.set("principal", await authenticate(c.req.raw, parseApiKeys(c.env)));
    c.set("deployment", deployment);
    await next();
  };

const knownAgent: MiddlewareHandler<AppEnv> = async (c, next) => {
  const agent = parseId("The agent id", c.req.param("agent") ?? "");
  if (!c.get("deployment").has(agent)) throw notFound(`The agent "${agent}"`);
  await next();
};
