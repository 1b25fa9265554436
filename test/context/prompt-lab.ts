import { assemblePrompt } from "../../src/context/prompt.ts";
import type { PromptLimits, PromptSources } from "../../src/context/prompt-sources.ts";
import type { Layer, Section } from "../../src/context/sections.ts";
import type { LayerName } from "../../src/shared/workspace-files.ts";
import { barePrompt } from "../support/bare-prompt.ts";
import { snapshotOver, type Files } from "../support/snapshot-over.ts";

export const small: Files = {
  "AGENTS.md": "# Carrel\n\nYou are Carrel.\n",
  "knowledge/KNOWLEDGE.md": "What we know.\n",
  "knowledge/turns.md": "About turns.",
  "notes.md": "not injected",
};

type Layers = Partial<Record<LayerName, Files>>;

/** Everything a prompt is made of, over these layers. */
export function sources(layers: Layers, more: Partial<PromptSources> = {}): PromptSources {
  const options = {
    ...barePrompt,
    persona: "Be brief.",
    agentName: "Carrel",
    hasWorkspace: true,
    sections: [],
    sessionId: "s1",
    date: Date.UTC(2026, 10, 30, 23, 59),
    ...more,
  };
  return { ...options, snapshot: options.hasWorkspace ? snapshotOver(options, layers) : null };
}

export const promptOf = (
  layers: Layers,
  more: Partial<PromptSources> = {},
  limits?: PromptLimits,
): string => assemblePrompt(sources(layers, more), limits).text;

export const section = (name: string, layer: Layer, text = name): Section => ({
  name,
  layer,
  text,
});
