import type { Model } from "./model/model.ts";
import type { RetryOptions } from "./model/retry.ts";
import type { IsolationScope } from "./workspace/workspace.ts";
import type { Tool } from "./tools/tool.ts";
import type { Capability } from "./turn/capability.ts";
import type { Limits } from "./turn/limits.ts";
import type { WindowOptions } from "./turn/window.ts";

/** An agent as code describes it. Everything but `id` has a default; its persona and knowledge are files. */
export type AgentDefinition = {
  /** The name in every route: a letter or digit first, then letters, digits, `.`, `_` or `-`, at most 128. */
  readonly id: string;
  /** What it is called in its prompt; default: the id. */
  readonly name?: string;
  /** The agent's own prompt, before everything from the workspace; default: none. */
  readonly systemPrompt?: string;
  /** A model, or `provider:name`; default: the variable MODEL, else the built-in offline model. */
  readonly model?: Model | string;
  /**
   * Who shares memory, knowledge, skills and overrides: `SESSION`, `USER` (default), `AGENT` or `GLOBAL`. Conversations
   * are always their user's.
   */
  readonly isolationScope?: IsolationScope;
  /** Tools beside the built-in ones; they win over built-in tools of the same name. */
  readonly tools?: readonly Tool[];
  /** Your own hooks around turns, steps, model calls and tool calls; they are outside the built-in ones. */
  readonly capabilities?: readonly Capability[];
  /** Bounds of one turn; see `Limits` for each default. */
  readonly limits?: Partial<Limits>;
  /** When the context is cut and how much stays; see `defaultWindow`. */
  readonly context?: Partial<WindowOptions>;
  /** How failed model calls are tried again: 3 attempts, 2 s to 30 s apart. */
  readonly modelRetry?: RetryOptions;
  /** A model that sends nothing for so long is given up; 60,000 ms. Keep-alives count as life. */
  readonly modelInactivityMs?: number;
};

/** Checks the definition's types and gives it back: `export const agents = [defineAgent({ id: 'main' })]`. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;
