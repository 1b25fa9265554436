import type { Section } from "../context/sections.ts";
import type { Model, ToolSpec } from "../model/model.ts";
import type { Tool } from "../tools/tool.ts";
import type { Capability, TurnScope } from "./capability.ts";

/** What stays the same in every step of a turn (promise C3). */
export type PreparedTurn = {
  readonly model: Model;
  readonly system: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
};

/** Collects prompt sections and tools of all capabilities, in their order. */
export async function prepareTurn(
  scope: TurnScope,
  model: Model,
  capabilities: readonly Capability[],
  assemble: (sections: readonly Section[], scope: TurnScope) => string,
): Promise<PreparedTurn> {
  const sections: Section[] = [];
  const tools = new Map<string, Tool>();
  for (const capability of capabilities) {
    // Nothing is waited for that is there already: the model is asked in the same breath as the turn is accepted.
    const added = capability.sections?.(scope) ?? [];
    sections.push(...(added instanceof Promise ? await added : added));
    const offered = capability.tools?.(scope) ?? [];
    for (const tool of offered instanceof Promise ? await offered : offered) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
    }
  }
  const specs = [...tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return { model, system: assemble(sections, scope), tools, specs };
}
