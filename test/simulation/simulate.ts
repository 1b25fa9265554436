import { barePrompt } from "../support/bare-prompt.ts";
import { defaultPermissions, type PermissionConfig } from "../../src/permissions/config.ts";
import { openHarness } from "../support/open-harness.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import { defaultCompaction } from "../../src/turn/compaction/config.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import type { Capability } from "../../src/turn/capability.ts";
import type { Harness } from "../../src/turn/harness.ts";
import { createWitness } from "../support/scripted-model.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import { providerViolations } from "../support/provider-rules.ts";
import { makeDigestsInstant } from "../support/instant-digest.ts";
import { createEffects } from "../support/scripted-tools.ts";
import { Auditor } from "./auditor.ts";
import { Client } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import { type FaultKind, Faults } from "./faults.ts";
import type { Ground } from "./ground.ts";
import { Host } from "./host.ts";
import type { Instance } from "./instance.ts";
import { isKeeping, keeping } from "./keeping.ts";
import { chanceModel } from "./model.ts";
import { Random } from "./random.ts";
import { READER, readTo, restViolations, type Aftermath } from "./rest.ts";
import { Scheduler } from "./scheduler.ts";
import { Storage } from "./storage.ts";
import { createChanceTools } from "./tools.ts";

/** Events after which a run that does not come to rest is given up. */
const MAX_EVENTS = 20_000;

export type Outcome = {
  readonly seed: number;
  /** The first promises that were broken; empty when all held. */
  readonly violations: readonly string[];
  readonly events: number;
  readonly turns: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Everything that was stored and seen, for comparing two runs. */
  readonly print: () => string;
};

/**
 * Runs the real session over a platform, a model, tools and clients that do and fail as chance has it, until
 * everything is at rest or a promise is broken. All chance comes from `seed`: the same seed is the same run.
 */
export async function simulate(seed: number, trace?: (line: string) => void): Promise<Outcome> {
  // Lets others have a turn, and has all that follows run as the scheduler wants it.
  await new Promise((resolve) => setImmediate(resolve));
  makeDigestsInstant();
  const world = createWorld(seed, trace);
  const { scheduler, storage, violations, host, auditor, ledger } = world;
  let acting = 0;
  const join = async (work: Promise<void>) => {
    acting++;
    await work;
    acting--;
  };
  for (let no = world.random.between(1, 3); no > 0; no--)
    void join(new Client(world.ground, host, ledger, `client-${no}`).live());
  let watching = 0;
  for (let no = world.random.between(0, 2); no > 0; no--) {
    watching++;
    const watcher = new Client(world.ground, host, ledger, `watcher-${no}`);
    void watcher.watch(() => acting === 0).then(() => watching--);
  }
  while (violations.length === 0) {
    const task = await scheduler.step();
    host.flush();
    if (!task) break;
    trace?.(`${scheduler.now - world.begin}: ${task.what}`);
    if (storage.hasChanged) {
      storage.hasChanged = false;
      violations.push(...auditor.audit(storage.alarm !== null || host.isInAlarm));
    }
    host.beat();
    if (scheduler.count > MAX_EVENTS) violations.push("[T2] the run does not come to rest");
  }
  if (violations.length === 0 && acting + watching > 0)
    violations.push("[S1] a client waits for ever");
  host.end();
  const {
    print,
    turns,
    violations: atRest,
  } = restViolations({
    ...world,
    world: world.ground.world,
  });
  if (violations.length === 0) violations.push(...atRest);
  storage.close();
  return {
    seed,
    violations,
    events: scheduler.count,
    turns,
    faults: world.ground.faults.counts,
    print: () => `${scheduler.count} ${scheduler.now}\n${print()}`,
  };
}

function createWorld(seed: number, trace: ((line: string) => void) | undefined) {
  const random = new Random(seed);
  const scheduler = new Scheduler();
  const storage = new Storage();
  const violations: string[] = [];
  const ground: Ground = {
    random,
    scheduler,
    storage,
    faults: new Faults(random),
    registry: { isTold: false },
    world: { files: 1, forgotten: 0 },
    trace: (line) => trace?.(line()),
    violate: (what) => void violations.push(what),
  };
  const auditor = new Auditor(storage.sql);
  const ledger: Ledger = {
    facts: auditor,
    sent: [],
    readers: [],
    news: new Map(),
    answers: new Map(),
    isGone: false,
    over: new Set(),
    time: 0,
  };
  const outside = {
    effects: createEffects(),
    witness: createWitness(),
    crashes: [] as { runs: number; requests: number }[],
    after: new Map<string, number>(),
  };
  const added = isKeeping(seed) ? [keeping] : [];
  const harnessOf = chanceHarness(ground, auditor, outside, added);
  const host = new Host(ground, harnessOf, () => {
    outside.crashes.push({
      runs: outside.effects.runs.length,
      requests: outside.witness.requests.length,
    });
  });
  return {
    ...outside,
    random,
    scheduler,
    storage,
    violations,
    ground,
    auditor,
    ledger,
    host,
    begin: scheduler.now,
  };
}

type Outside = Pick<Aftermath, "effects" | "witness"> & { readonly after: Map<string, number> };

/** What the agent is made of in this run; each instance composes it anew, as in production. */
function chanceHarness(
  ground: Ground,
  auditor: Auditor,
  { effects, witness, after }: Outside,
  added: readonly Capability[],
): (instance: Instance) => Harness {
  const { random } = ground;
  let labels = 0;
  const newLabel = () => `L${++labels}`;
  const compaction = random.pick([
    null,
    { ...defaultCompaction, triggerTokens: 300, keepTokens: 60 },
    { ...defaultCompaction, triggerTokens: 2_000, keepTokens: 0, keepMessages: 3 },
  ]);
  const contextWindow = random.pick([null, 600, 3_000]);
  const hasAfterTurn = random.chance(0.5);
  const hasLater = random.chance(0.3);
  const rights = random.chance(0.4)
    ? openHarness.permissions
    : { ...defaultPermissions, ...random.pick(choices), approvalExpiresMs: random.pick(expiries) };
  return (instance) => {
    const tools = createChanceTools(ground, instance, effects, (key) => {
      const call = key.slice(key.indexOf("/") + 1);
      if (auditor.hasResult(call)) ground.violate(`[T5] ${key} runs although it has a result`);
      if (auditor.isForbidden(call)) ground.violate(`[A5] ${key} runs and may not`);
    });
    const capabilities: Capability[] = [{ name: "tools", tools: () => tools }, ...added];
    if (hasAfterTurn) capabilities.push(chanceAfterTurn(ground, instance, after));
    if (hasLater) capabilities.push(chanceLater(ground, instance));
    const take = (request: ModelRequest) => {
      witness.requests.push(request);
      for (const what of providerViolations(request)) ground.violate(`[T6] ${what}`);
    };
    return {
      hasPlanMode: false,
      model: {
        ...chanceModel(ground, instance, take, newLabel),
        ...(contextWindow === null ? {} : { contextWindow }),
      },
      capabilities,
      limits: { ...defaultLimits, maxIters: 5, maxCallsPerStep: 6 },
      context: { ...defaultContext, compaction },
      retry: { random: () => random.next() },
      hasAfterTurn: hasAfterTurn || hasLater,
      prompt: barePrompt,
      workspace: () => noWorkspace,
      attachesFiles: true,
      ...chanceRights(ground, instance, rights),
    };
  };
}

/** What operators may have said. */
const choices: readonly Partial<PermissionConfig>[] = [
  {},
  {},
  { ask: [{ tool: "pure" }] },
  { deny: [{ tool: "unsafe" }] },
  { allow: [{ tool: "keyed" }, { tool: "probed" }] },
  { mode: "DONT_ASK" },
];
const expiries = [20_000, 600_000, 7 * 86_400_000];

/** What is allowed in this run, and who is told of what waits. */
function chanceRights(
  { faults, random, world }: Ground,
  instance: Instance,
  permissions: PermissionConfig,
): Pick<Harness, "permissions" | "notify" | "forget"> {
  return {
    permissions,
    notify: () =>
      instance.ask("the watcher", () => {
        if (faults.strikes("unreachable watcher")) throw new Error("connection lost");
      }),
    forget: () =>
      instance.ask("the deletion", () => {
        const isHalf = faults.strikes("half a deletion");
        if (!isHalf || random.chance(0.5)) world.files = 0;
        world.forgotten++;
        if (isHalf) throw new Error("connection lost");
      }),
  };
}

function chanceAfterTurn(
  ground: Ground,
  instance: Instance,
  after: Map<string, number>,
): Capability {
  return {
    name: "after",
    async afterTurns(_scope, turns) {
      const { random } = ground;
      if (turns.length === 0) ground.violate("[T11] no turn is handed over");
      for (const { turn, entries } of turns)
        if (entries.at(-1)?.kind !== "end")
          ground.violate(`[T11] ${turn} is handed over unfinished`);
      const starts = turns.map(({ entries }) => entries[0]?.seq ?? 0);
      if (starts.some((start, at) => start <= (starts[at - 1] ?? 0)))
        ground.violate("[T11] turns are handed over out of order");
      await instance.clock.sleep(random.between(0, 3_000));
      if (random.chance(0.3)) throw new Error("not now");
      await instance.ask("the end of its work", () => {
        for (const { turn } of turns) after.set(turn, (after.get(turn) ?? 0) + 1);
      });
    },
  };
}

/** Reads on from where it was, as memory does, and says in its notes how far it has come. */
function chanceLater(ground: Ground, instance: Instance): Capability {
  const { random } = ground;
  return {
    name: READER,
    async later({ notes, ended, entries, now }) {
      const before = readTo(notes.read());
      await instance.clock.sleep(random.between(0, 3_000));
      if (random.chance(0.3)) throw new Error("not now");
      if (random.chance(0.2)) return now() + random.between(1_000, 60_000);
      // A session that was deleted meanwhile reads as empty, and takes no notes.
      for (let from = before + 1; from <= ended;) {
        const page = entries(from);
        from = (page.at(-1)?.seq ?? ended) + 1;
      }
      await instance.ask("the reader", () => {});
      notes.write({ to: Math.max(ended, before) });
      return null;
    },
  };
}
