import { ModelError } from "../shared/errors.ts";
import type { Fetch } from "../shared/guarded-fetch.ts";
import { anthropic } from "./anthropic.ts";
import { givenWindow, knownWindow } from "./context-window.ts";
import type { Model } from "./model.ts";
import { openai } from "./openai.ts";
import { type WorkersAiBinding, workersAi } from "./workers-ai.ts";

/** The settings that choosing a model reads; blank is the same as absent. */
export type ModelConfig = {
  readonly OPENAI_API_KEY?: string | undefined;
  readonly OPENAI_BASE_URL?: string | undefined;
  readonly ANTHROPIC_API_KEY?: string | undefined;
  readonly ANTHROPIC_BASE_URL?: string | undefined;
  readonly OPENAI_COMPATIBLE_BASE_URL?: string | undefined;
  readonly OPENAI_COMPATIBLE_API_KEY?: string | undefined;
  /** The context window of the model in tokens, where it is not the one that its name is known for. */
  readonly MODEL_CONTEXT_TOKENS?: string | undefined;
};

export type ModelDeps = {
  /** The guarded fetch that trusts `trustedOrigins(config)`. */
  readonly fetch: Fetch;
  readonly offline: Model;
  /** The Workers AI binding, where the deployment has one. */
  readonly ai?: WorkersAiBinding | undefined;
};

/**
 * The model that `spec` names: `offline`, `openai:NAME`, `anthropic:NAME`, `openai-compatible:NAME` or
 * `workers-ai:@cf/…`. Never throws: with a setting missing or wrong, every call of the model that you get
 * throws `ModelError('model_not_configured')` whose message says what to set where.
 */
export function createModel(spec: string, config: ModelConfig, deps: ModelDeps): Model {
  const id = spec.trim();
  const named = parseSpec(id);
  if (named.kind === "nothing") return notConfigured(id, named.why);
  const given = givenWindow(config.MODEL_CONTEXT_TOKENS);
  if (given === null)
    return notConfigured(
      id,
      "MODEL_CONTEXT_TOKENS is not a number of tokens. Set it to a whole number from 1000, or leave it out.",
    );
  if (named.kind === "offline") return withWindow(deps.offline, given);
  const problem = wrongUrl(config, named.kind);
  if (problem !== null) return notConfigured(id, problem);
  const model = providers[named.kind]({ id, model: named.model, config, deps });
  return withWindow(model, given ?? knownWindow(named.model));
}

const withWindow = (model: Model, tokens: number | undefined): Model =>
  tokens === undefined ? model : { ...model, contextWindow: tokens };

/** Why `spec` names no model, whatever is configured, and what to write instead; `null` when it may name one. */
export function specProblem(spec: string): string | null {
  const named = parseSpec(spec.trim());
  return named.kind === "nothing" ? named.why : null;
}

type Named =
  | { readonly kind: "offline" }
  | { readonly kind: keyof typeof providers; readonly model: string }
  | { readonly kind: "nothing"; readonly why: string };

function parseSpec(id: string): Named {
  const [, kind = "", model = ""] = /^([^:]*):?(.*)$/s.exec(id) ?? [];
  if (kind === "offline" && model === "") return { kind };
  if (isProvider(kind) && model !== "") return { kind, model };
  const why = isProvider(kind)
    ? `"${kind}" needs the name of a model after a colon.`
    : `There is no model "${id.slice(0, 100)}".`;
  return { kind: "nothing", why: `${why} Write ${forms}.` };
}

/** The origins that `config` names, for the guarded fetch: these may be private, http and on any port. */
export function trustedOrigins(config: ModelConfig): string[] {
  return Object.values(urlSettings).flatMap((name) => {
    const url = setting(config, name);
    return url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [];
  });
}

type Choice = {
  readonly id: string;
  readonly model: string;
  readonly config: ModelConfig;
  readonly deps: ModelDeps;
};

const forms = "openai:NAME, anthropic:NAME, openai-compatible:NAME, workers-ai:@cf/… or offline";

const urlSettings = {
  openai: "OPENAI_BASE_URL",
  anthropic: "ANTHROPIC_BASE_URL",
  "openai-compatible": "OPENAI_COMPATIBLE_BASE_URL",
} as const;

const isProvider = (kind: string): kind is keyof typeof providers => Object.hasOwn(providers, kind);

const providers = {
  openai({ id, model, config, deps: { fetch } }: Choice): Model {
    const apiKey = setting(config, "OPENAI_API_KEY");
    if (apiKey === undefined) return notConfigured(id, missingKey("OPENAI_API_KEY"));
    const baseUrl = setting(config, "OPENAI_BASE_URL");
    return openai({ id, model, apiKey, fetch, ...(baseUrl !== undefined && { baseUrl }) });
  },

  anthropic({ id, model, config, deps: { fetch } }: Choice): Model {
    const apiKey = setting(config, "ANTHROPIC_API_KEY");
    if (apiKey === undefined) return notConfigured(id, missingKey("ANTHROPIC_API_KEY"));
    const baseUrl = setting(config, "ANTHROPIC_BASE_URL");
    return anthropic({ id, model, apiKey, fetch, ...(baseUrl !== undefined && { baseUrl }) });
  },

  "openai-compatible"({ id, model, config, deps: { fetch } }: Choice): Model {
    const baseUrl = setting(config, "OPENAI_COMPATIBLE_BASE_URL");
    if (baseUrl === undefined) {
      return notConfigured(
        id,
        "Set OPENAI_COMPATIBLE_BASE_URL to the address before /chat/completions, for example http://127.0.0.1:11434/v1, in .dev.vars, or under [vars] in wrangler.toml.",
      );
    }
    const apiKey = setting(config, "OPENAI_COMPATIBLE_API_KEY");
    return openai({
      id,
      model,
      baseUrl,
      fetch,
      name: "The model server",
      setting: "OPENAI_COMPATIBLE_BASE_URL and OPENAI_COMPATIBLE_API_KEY",
      limitField: "max_tokens",
      ...(apiKey !== undefined && { apiKey }),
    });
  },

  "workers-ai"({ id, model, deps: { ai } }: Choice): Model {
    if (ai) return workersAi({ id, model, ai });
    return notConfigured(
      id,
      'Add the Workers AI binding to wrangler.toml: [ai] with binding = "AI".',
    );
  },
};

const missingKey = (name: string): string =>
  `Set ${name} in .dev.vars, or as a secret with \`wrangler secret put ${name}\`.`;

function setting(config: ModelConfig, name: keyof ModelConfig): string | undefined {
  const value = config[name]?.trim();
  return value === "" ? undefined : value;
}

function wrongUrl(config: ModelConfig, kind: keyof typeof providers): string | null {
  if (kind === "workers-ai") return null;
  const name = urlSettings[kind];
  const url = setting(config, name);
  if (url === undefined || /^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    return null;
  return `${name} is not an address. Set it to one that begins with https:// or http://.`;
}

const notConfigured = (id: string, message: string): Model => ({
  id,
  // An iteration that throws at its first step, like every other failure.
  async *stream() {
    yield* [];
    throw new ModelError("model_not_configured", message);
  },
});
