import type { Env } from "./env.ts";
import { textVariables } from "./env.ts";
import { createModel, trustedOrigins } from "./model/choose.ts";
import type { Model } from "./model/model.ts";
import { createOfflineModel } from "./model/offline/offline-model.ts";
import { createGuardedFetch } from "./shared/guarded-fetch.ts";

/**
 * The model that an option names, with the keys of this deployment; without one that of the variable MODEL, else the
 * offline model. Throws as `createModel` does.
 */
export function chooseModel(named: Model | string | null | undefined, env: Env): Model {
  if (typeof named === "object" && named !== null) return named;
  const variables = textVariables(env);
  return createModel(named ?? (variables.MODEL || "offline"), variables, {
    fetch: createGuardedFetch({ trustedOrigins: trustedOrigins(variables) }),
    offline: createOfflineModel(),
    ...(env.AI ? { ai: env.AI } : {}),
  });
}
