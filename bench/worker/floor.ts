import { Hono } from "hono";
import { FloorObject } from "./floor-object.ts";
import { FloorSocketObject } from "./floor-socket-object.ts";

type Env = {
  readonly FloorObject: DurableObjectNamespace<FloorObject>;
  readonly FloorSocketObject: DurableObjectNamespace<FloorSocketObject>;
};

export { FloorObject, FloorSocketObject };

/** The least that a durable chat costs on this platform: a lower bound, not a product. */
const app = new Hono<{ Bindings: Env }>();

app.get("/healthz", (c) => c.text("ok"));

app.post("/chat", async (c) => {
  const body = await c.req.json<{ userId: string; sessionId: string }>();
  const stub = c.env.FloorObject.getByName(`${body.userId}:${body.sessionId}`);
  return stub.fetch("http://object/chat", { method: "POST", body: JSON.stringify(body) });
});

app.get("/socket/:user/:session", (c) => {
  const name = `${c.req.param("user")}:${c.req.param("session")}`;
  return c.env.FloorSocketObject.getByName(name).fetch(c.req.raw);
});

export default app;
