import { askOnce } from "../../model/ask.ts";
import type { Model } from "../../model/model.ts";
import type { Begun, Proposal } from "../../shared/memory-api.ts";
import type { Usage } from "../../shared/messages.ts";
import type { MemoryConfig } from "../config.ts";
import { consolidationRequest } from "./prompt.ts";
import { parseProposal } from "./proposal.ts";

type Work = Extract<Begun, { readonly state: "work" }>;

/** What a model proposes, and what the question has cost. */
export type Proposed = {
  readonly proposal: Proposal;
  readonly usage: Usage;
  /** The model's id. */
  readonly model: string;
};

/** More than any proposal has. */
const MAX_ANSWER = 400_000;

/**
 * Asks a model what to do with a bucket's entries: one request, without tools. An answer that cannot be used is a proposal
 * that says why. Throws what the model throws, and the signal's reason when that aborts.
 */
export const createConsolidate =
  (model: Model, config: Pick<MemoryConfig, "consolidationPrompt" | "consolidationMaxTokens">) =>
  async (work: Work, signal: AbortSignal): Promise<Proposed> => {
    const { system, user } = consolidationRequest(work, config);
    const question = { system, text: user };
    const { text, finish, usage } = await askOnce(model, question, MAX_ANSWER, signal);
    return { proposal: parseProposal(text, finish), usage, model: model.id };
  };
