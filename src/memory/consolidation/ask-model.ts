import type { Model } from "../../model/model.ts";
import type { FinishReason } from "../../shared/messages.ts";
import { ModelError } from "../../shared/errors.ts";
import type { Begun, Proposal } from "../../shared/memory-api.ts";
import type { MemoryConfig } from "../config.ts";
import { consolidationRequest } from "./prompt.ts";
import { parseProposal } from "./proposal.ts";

type Work = Extract<Begun, { readonly state: "work" }>;

/** More than any proposal has. */
const MAX_ANSWER = 400_000;

/**
 * Asks a model what to do with a bucket's entries: one request, without tools. An answer that cannot be used is a proposal
 * that says why. Throws what the model throws, and the signal's reason when that aborts.
 */
export const createConsolidate =
  (model: Model, config: Pick<MemoryConfig, "consolidationPrompt" | "consolidationMaxTokens">) =>
  async (work: Work, signal: AbortSignal): Promise<Proposal> => {
    const { system, user } = consolidationRequest(work, config);
    const messages = [{ role: "user", content: [{ type: "text", text: user }] }] as const;
    let text = "";
    let finish: FinishReason | null = null;
    for await (const events of model.stream({ system, messages, tools: [] }, signal)) {
      for (const event of events) {
        if (event.type === "text" && text.length <= MAX_ANSWER) text += event.text;
        if (event.type === "finish") finish = event.reason;
      }
    }
    if (finish === null)
      throw new ModelError("unavailable", "The model ended its answer without saying so.");
    return parseProposal(text, finish);
  };
