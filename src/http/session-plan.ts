import { type Context, Hono } from "hono";
import * as z from "zod";
import type { Plan, Work } from "../shared/plan.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { UNTRUSTED } from "./files-answer.ts";
import { addressOf, nameOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";

const PlanBody = z.strictObject({ active: z.boolean() });

/** What a session plans and has to do. */
export function planRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/plan", async (c) => {
    const address = addressOf(c);
    const { work } = await callSession(c.env, address, (session) => session.work(address));
    return c.json({ ...work.plan, text: await textOf(c, work.plan) }, 200, UNTRUSTED);
  });

  routes.put("/plan", async (c) => {
    const { active } = await readBody(c.req.raw, PlanBody);
    const address = addressOf(c);
    const { work } = await callSession(c.env, address, (session) =>
      session.setPlan(address, active, nameOf(c)),
    );
    return c.json(work.plan);
  });

  routes.get("/todos", async (c) => {
    const address = addressOf(c);
    const { work } = await callSession(c.env, address, (session) => session.work(address));
    return c.json({ todos: work.todos } satisfies Pick<Work, "todos">, 200, UNTRUSTED);
  });

  return routes;
}

/** The plan as it is written; `null` where there is none. */
async function textOf(c: Context<AppEnv>, { path }: Plan): Promise<string | null> {
  if (path === null) return null;
  const address = addressOf(c);
  const workspace = c.get("deployment").workspace(address.agent, c.env, address);
  const { files } = await workspace.readMany({ paths: [path], layer: "own" });
  const content = files[0]?.content;
  return content && "text" in content ? content.text : null;
}
