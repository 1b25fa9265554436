import type { ModelMessage } from "../../src/shared/messages.ts";
import type { Capability, ToolOutcome } from "../../src/turn/capability.ts";

/** Where tokens are counted. Counts what it is told under one key once. */
export type Counter = { readonly count: (key: string, tokens: number) => Promise<void> };

const CARD_NUMBER = /\b\d(?:[ -]?\d){12,15}\b/g;
const HOUR_MS = 3_600_000;

/** A shop's rules: no card number reaches a model, rates are asked for once an hour, refunds wait for the day. */
export function shopRules(counter: Counter): Capability {
  // One for all users of the agent, so only what is the same for all of them may be kept in it.
  const rates = new Map<string, { readonly at: number; readonly outcome: ToolOutcome }>();
  return {
    name: "shop-rules",
    sections: () => [{ name: "shop_rules", layer: "shared", text: "All prices are in euros." }],
    gate(scope, { name }) {
      const hour = new Date(scope.now()).getUTCHours();
      if (name !== "refund" || (hour >= 8 && hour < 18)) return null;
      return "Refunds are made from 8:00 to 18:00 UTC. Offer to do it then.";
    },
    wrapModelCall: (_scope, request, next) =>
      next({ ...request, messages: request.messages.map(withoutCards) }),
    async wrapToolCall(scope, call, next) {
      if (call.name !== "exchange_rate") return next();
      const known = rates.get(call.input);
      if (known && scope.now() - known.at < HOUR_MS) return known.outcome;
      const outcome = await next();
      if (rates.size >= 100) rates.clear();
      if (outcome.status === "success") rates.set(call.input, { at: scope.now(), outcome });
      return outcome;
    },
    async afterTurns({ address }, turns) {
      for (const { turn, entries } of turns) {
        const end = entries.at(-1);
        if (end?.kind !== "end") continue;
        const key = [address.agent, address.user, address.session, turn].join("/");
        await counter.count(key, end.usage.input + end.usage.output);
      }
    },
  };
}

/** The same for the same message, so that a provider's cache of the prompt stays good. */
function withoutCards(message: ModelMessage): ModelMessage {
  if (message.role !== "user") return message;
  const content = message.content.map((part) =>
    part.type === "text"
      ? { ...part, text: part.text.replace(CARD_NUMBER, "[card number]") }
      : part,
  );
  return { role: "user", content };
}
