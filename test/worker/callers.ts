import { env } from "cloudflare:test";
import { createParser } from "eventsource-parser";
import type { SessionEvent } from "../../src/shared/events.ts";
import type { Env } from "../../src/env.ts";
import { createApp } from "../../src/http/app.ts";
import { sha256Hex } from "../../src/shared/sha256.ts";
import { deployment } from "../support/agents.ts";
import { outside } from "../support/outside.ts";

/** A request to `path` on a host that is not this machine, with the API key of `user`. */
export type AskAs = (user: string, path: string, init?: RequestInit) => Promise<Response>;

/** The deployment with a key for each of these users, none for anybody else, and the variables of `outside`. */
export async function callersWithKeys(
  users: readonly string[],
  admins: readonly string[] = [],
): Promise<AskAs> {
  const hashOf = (user: string) => sha256Hex(new TextEncoder().encode(`key-${user}`));
  const keys = await Promise.all(
    [...users, ...admins].map(async (user) => ({
      user,
      hash: await hashOf(user),
      role: admins.includes(user) ? "admin" : "user",
    })),
  );
  const app = createApp(deployment);
  const withKeys = { ...env, CARREL_API_KEYS: JSON.stringify(keys) };
  return async (user, path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer key-${user}`);
    return app.request(`https://carrel.example${path}`, { ...init, headers }, {
      ...withKeys,
      ...outside().variables,
    } as unknown as Env);
  };
}

/** Who speaks, to which agent, in which session. */
export type Speaker = { readonly agent: string; readonly user: string; readonly session: string };

/** Says `message`, with this idempotency key or one of its own, and gives the turn's events, to their end. */
export async function say(
  ask: AskAs,
  { agent, user, session }: Speaker,
  message: string,
  key?: string,
): Promise<SessionEvent[]> {
  const response = await ask(user, `/v1/agents/${agent}/sessions/${session}/turns`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify({ message }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  const events: SessionEvent[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void events.push(JSON.parse(data) as SessionEvent),
  });
  parser.feed(text);
  return events;
}
