import type { Env } from "./env.ts";
import { createSignedWebhook, type WebhookOptions } from "./shared/signed-webhook.ts";
import type { Harness } from "./turn/harness.ts";

/**
 * Tells of calls that wait for a person, as `calls.waiting`, where APPROVAL_WEBHOOK_URL says so: see `createSignedWebhook`.
 * It never says what the calls would do. `null` when there is no address.
 */
export function createWebhook(env: Env, options: WebhookOptions = {}): Harness["notify"] {
  const webhook = createSignedWebhook((name) => env[name], options);
  if (!webhook) return null;
  return ({ id, address, turn, at, calls }) => {
    const { agent, session, user } = address;
    const waiting = calls.map(({ call, name, what, expiresAt }) => ({
      id: call,
      name,
      what,
      expiresAt,
    }));
    const link = webhook.link({ agent, session });
    const data = { agent, session, user, turn, calls: waiting, link };
    return webhook.send({ id, type: "calls.waiting", at, data });
  };
}
