import { barePrompt } from "./bare-prompt.ts";
import { openHarness } from "./open-harness.ts";
import { noSettings } from "./no-settings.ts";
import { noWorkspace } from "./no-workspace.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { noPoint } from "../../src/shared/point.ts";
import { Session } from "../../src/turn/session.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { createScriptedModel, createWitness } from "./scripted-model.ts";
import { createEffects, createScriptedTools } from "./scripted-tools.ts";
import { noLink } from "./no-link.ts";

/** Short waits are over at once, long ones only when nobody waits any more. */
const impatientClock: Clock = {
  now: () => 0,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (ms < 1_000 || signal?.aborted === true) resolve();
      else signal?.addEventListener("abort", () => resolve(), { once: true });
    }),
};

/** A session of the scripted agent in plain Node, over a database that outlives it. `pause` comes before each batch. */
export function createNodeSession(sql: Sql, pause: () => Promise<void>): Session {
  const witness = createWitness();
  const tools = createScriptedTools(createEffects(), pause);
  return new Session(
    {
      address: { agent: "scripted", user: "local", session: "s" },
      sql,
      clock: impatientClock,
      setAlarm: () => {},
      clearAlarm: () => {},
      index: () => Promise.resolve(noSettings),
      sync: () => Promise.resolve(),
      keepAlive: () => {},
      register: () => Promise.resolve(noSettings),
      link: noLink,
      newId: () => crypto.randomUUID(),
      point: noPoint,
      log: () => {},
    },
    {
      model: createScriptedModel(witness, pause),
      capabilities: [{ name: "tools", tools: () => tools }],
      limits: defaultLimits,
      context: defaultContext,
      retry: { attempts: 3, minDelayMs: 1, maxDelayMs: 2 },
      hasAfterTurn: false,
      prompt: barePrompt,
      workspace: () => noWorkspace,
      attachesFiles: true,
      ...openHarness,
    },
  );
}
