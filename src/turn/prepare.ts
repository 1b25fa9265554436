import type { Model, ToolSpec } from "../model/model.ts";
import type { Tool } from "../tools/tool.ts";
import type { Capability, PreparingScope, TurnScope } from "./capability.ts";
import type { AnswerFormat } from "./output/output-format.ts";
import type { PromptSource } from "./context/prompt-source.ts";

/** What stays the same in every step of a turn (promise C3). */
export type PreparedTurn = {
  readonly model: Model;
  readonly system: string;
  /** The tags of `system` beside those that every prompt has. */
  readonly tags: readonly string[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  /** What the answer has to be; `null` when it may be anything. Its tool is the last one, and stands in for another of its name. */
  readonly format: AnswerFormat | null;
};

type Agent = { readonly model: Model; readonly capabilities: readonly Capability[] };

/**
 * Collects prompt sections and tools of all capabilities, in their order, and the workspace's files. The call for
 * the files starts first and nothing is waited for in turn: the first token waits for all of it.
 */
export async function prepareTurn(
  scope: TurnScope,
  { model, capabilities }: Agent,
  prompts: PromptSource,
  format: AnswerFormat | null,
): Promise<PreparedTurn> {
  const loading = prompts.load(scope);
  const preparing: PreparingScope = { ...scope, files: () => loading };
  const [snapshot, offers] = await Promise.all([
    loading,
    Promise.all(capabilities.map((capability) => offerOf(capability, preparing))),
  ]);
  const tools = new Map<string, Tool>();
  for (const tool of offers.flatMap((offer) => offer.tools))
    if (!tools.has(tool.name)) tools.set(tool.name, tool);
  if (format) {
    // Last, so that the list begins as it does in other turns.
    tools.delete(format.tool.name);
    tools.set(format.tool.name, format.tool);
  }
  const specs = [...tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const sections = offers.flatMap((offer) => offer.sections);
  const system = prompts.assemble(snapshot, sections, scope);
  return { model, system, tags: prompts.tags(sections), tools, specs, format };
}

async function offerOf(capability: Capability, scope: PreparingScope) {
  const [sections, tools] = await Promise.all([
    capability.sections?.(scope),
    capability.tools?.(scope),
  ]);
  return { sections: sections ?? [], tools: tools ?? [] };
}
