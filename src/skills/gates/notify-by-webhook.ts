import { createSignedWebhook, type WebhookOptions } from "../../shared/signed-webhook.ts";
import type { SkillGate } from "../config.ts";

/**
 * Tells the address of the variable APPROVAL_WEBHOOK_URL that a draft waits, as `skills.waiting`, and asks a person. It says
 * nothing of what is in the draft; the same files of a name are told of under one id. Without an address it only asks.
 */
export const notifyByWebhook = (options: WebhookOptions = {}): SkillGate => ({
  name: "notify-by-webhook",
  async decide({ draft, scan }, { viewer, binding }) {
    const webhook = createSignedWebhook(binding, options);
    if (!webhook) return { kind: "ask" };
    const { agent, user } = viewer;
    const { name, hash, changedAt: at } = draft;
    const link = webhook.link({ agent, skill: name });
    const data = { agent, user, name, hash, verdict: scan.verdict, link };
    const id = JSON.stringify(["skills.waiting", agent, user, name, hash]);
    await webhook.send({ id, type: "skills.waiting", at, data });
    return { kind: "ask" };
  },
});
