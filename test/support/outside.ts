import { createWitness, type Witness } from "./scripted-model.ts";
import { createEffects, type Effects } from "./scripted-tools.ts";

/** What lives outside every session object of the test worker: the model's server, the tools' world, the crash plan. */
export type Outside = {
  witness: Witness;
  effects: Effects;
  /** What the agent `after` was told of ended turns: its work for a turn, each time it was done. */
  afterTurns: { readonly turn: string; readonly entries: number }[];
  /** Called at every point of every object; returns whether the object crashes there. */
  onPoint: ((name: string, object: string) => boolean) | null;
  /** Of the deployment, over those of `wrangler.toml`; for requests, and the buckets that wake from now on. */
  variables: Readonly<Record<string, string>>;
  /** Awaited by the scripted model and tools between their batches. */
  pause: () => Promise<void>;
};

declare global {
  var outside: Outside | undefined;
}

/** The one `Outside` of this isolate, shared by the test file and the objects that it tests. */
export function outside(): Outside {
  globalThis.outside ??= {
    witness: createWitness(),
    effects: createEffects(),
    afterTurns: [],
    onPoint: null,
    variables: {},
    pause: () => Promise.resolve(),
  };
  return globalThis.outside;
}

/** Forgets everything, for the next scenario. */
export function resetOutside(): Outside {
  globalThis.outside = undefined;
  return outside();
}
