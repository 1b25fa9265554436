import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "./app-env.ts";
import { parseId } from "../shared/ids.ts";
import { readBody } from "./body.ts";
import { UNTRUSTED } from "./files-answer.ts";
import { addressOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";

const CancelBody = z.strictObject({});

/** What a session has handed to subagents. */
export function taskRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/tasks", async (c) => {
    const address = addressOf(c);
    const { tasks } = await callSession(c.env, address, (session) => session.tasks(address));
    return c.json({ tasks }, 200, UNTRUSTED);
  });

  routes.get("/tasks/:task", async (c) => {
    const address = addressOf(c);
    const id = parseId("The task id", c.req.param("task"));
    const { task } = await callSession(c.env, address, (session) => session.task(address, id));
    return c.json(task, 200, UNTRUSTED);
  });

  routes.post("/tasks/:task/cancel", async (c) => {
    await readBody(c.req.raw, CancelBody);
    const address = addressOf(c);
    const id = parseId("The task id", c.req.param("task"));
    const { task } = await callSession(c.env, address, (session) =>
      session.cancelTask(address, id),
    );
    return c.json(task, 200, UNTRUSTED);
  });

  return routes;
}
