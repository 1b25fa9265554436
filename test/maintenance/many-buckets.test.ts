import { describe, expect, it } from "vitest";
import type { MaintenancePorts } from "../../src/maintenance/ports.ts";
import { runMaintenance, SLOT_MS, type MaintenanceOptions } from "../../src/maintenance/run.ts";
import { passShard } from "../../src/shared/registry-shard.ts";
import { seededRandom } from "../support/random.ts";
import { curatedAgent, MINUTE, nothing, UpkeepLab, userBucket } from "./upkeep-lab.ts";

/** What happens to an invocation with this call: it dies before or after it is made, or stands still until it is woken. */
type Fate = { readonly at: number; readonly is: "dead before" | "dead after" | "asleep" };

type Invocation = { readonly ended: Promise<void>; readonly wake: () => void };

/** The cron over many buckets, with ticks that come twice, late and at once, and invocations that end or stop half-way. */
class Ticks {
  readonly lab = new UpkeepLab();
  readonly random: () => number;
  readonly keys: readonly string[];
  /** The most calls that one invocation made. */
  mostCalls = 0;
  invocations = 0;
  modelCalls = 0;
  /** Calls that failed or whose answer was lost, and invocations that did not come to their end. */
  faults = 0;
  /** Entries that were written. */
  written = 0;
  /** A chance in a thousand, for each call. */
  faulty = 0;
  /** How many buckets are written to while a tick lasts. */
  writes = 0;
  readonly #options: MaintenanceOptions;
  #asleep: Invocation[] = [];

  constructor(seed: number, buckets: number, options: MaintenanceOptions = {}) {
    this.random = seededRandom(seed);
    this.keys = Array.from({ length: buckets }, (_, no) => userBucket(`u${no}`));
    this.#options = options;
    const consolidate = async () => {
      this.modelCalls += 1;
      this.lab.now += 100;
      return nothing;
    };
    this.lab.agents = [{ ...curatedAgent, consolidate }];
  }

  async write(key: string): Promise<void> {
    this.written += 1;
    await this.lab.remember(key);
  }

  /** A slot: its tick, perhaps once more at once, and late ones; each may end anyhow. */
  async slot(fates: () => Fate | null): Promise<void> {
    const woken = this.#asleep;
    this.#asleep = [];
    const began = this.lab.now;
    const twice = this.random() < 0.4;
    const first = [fates(), ...(twice ? [fates()] : [])].map((fate) => this.#invoke(fate));
    for (const one of woken) one.wake();
    await this.#write();
    await Promise.all([...woken, ...first].map(({ ended }) => ended));
    for (const late of [8, 20])
      if (this.random() < 0.3) {
        this.lab.now = Math.max(this.lab.now, began + late * MINUTE);
        await Promise.all([this.#invoke(fates()).ended, this.#write()]);
      }
    this.lab.now = Math.max(this.lab.now, began + SLOT_MS);
  }

  async #write(): Promise<void> {
    for (let no = 0; no < this.writes; no++) {
      await this.write(this.keys[Math.floor(this.random() * this.keys.length)] ?? "");
      for (let hops = this.random() * 40; hops > 0; hops--) await Promise.resolve();
    }
  }

  /** `ended` also when it has died or sleeps. */
  #invoke(fate: Fate | null): Invocation {
    const [end, sleep] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const never = new Promise<never>(() => {});
    const invocation = { ended: end.promise, wake: () => sleep.resolve() };
    let calls = 0;
    let isDead = false;
    const die = () => {
      isDead = true;
      this.faults += 1;
      end.resolve();
      return never;
    };
    const call = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
      if (isDead) return never;
      this.mostCalls = Math.max(this.mostCalls, (calls += 1));
      this.lab.now += 5;
      const is = calls === fate?.at ? fate.is : "well";
      if (is === "dead before") return die();
      if (is === "asleep") {
        this.faults += 1;
        this.#asleep.push({ ...invocation, ended: running });
        end.resolve();
        await sleep.promise;
      }
      if (this.#isFaulty()) throw new Error("not sent");
      const answer = await work();
      if (is === "dead after") return die();
      if (isDead) return never;
      if (this.#isFaulty()) throw new Error("lost on the way");
      return answer;
    };
    this.invocations += 1;
    const running = runMaintenance(this.#ports(call), this.#options).then(
      () => end.resolve(),
      () => end.resolve(),
    );
    return invocation;
  }

  #isFaulty(): boolean {
    const isFaulty = this.faulty > 0 && this.random() * 1_000 < this.faulty;
    if (isFaulty) this.faults += 1;
    return isFaulty;
  }

  #ports(call: <Answer>(work: () => Promise<Answer>) => Promise<Answer>): MaintenancePorts {
    const ports = this.lab.ports();
    const [agent] = ports.agents;
    const ask = agent?.consolidate;
    if (!agent || !ask) throw new Error("the lab has an agent");
    return {
      ...ports,
      ask: (name, work) => call(() => ports.ask(name, work)),
      memory: (key, id) => {
        const memory = ports.memory(key, id);
        return {
          beginRun: (request) => call(() => memory.beginRun(request)),
          commitRun: (run, proposal) => call(() => memory.commitRun(run, proposal)),
          abandonRun: (run, why) => call(() => memory.abandonRun(run, why)),
          tidy: (options) => call(() => memory.tidy(options)),
        };
      },
      skills: (key) => {
        const skills = ports.skills(key);
        return { ...skills, curate: (request) => call(() => skills.curate(request)) };
      },
      agents: [{ ...agent, consolidate: (...given) => call(() => ask(...given)) }],
    };
  }

  /** Every bucket has no two runs in a slot, and what its runs read is what was written; its skills are curated at most once a week. */
  check(): void {
    let read = 0;
    for (const { applied, curated } of this.lab.buckets.values()) {
      expect(curated).toBe(1);
      const slots = applied.map(({ slot }) => slot);
      expect(new Set(slots).size).toBe(slots.length);
      read += applied.reduce((sum, run) => sum + run.read, 0);
    }
    expect(read).toBe(this.written);
  }
}

const well = () => null;

/** Dies, stops, or in half of all cases does well, somewhere in its first calls. */
const anyFate = (ticks: Ticks, calls: number) => (): Fate | null => {
  const at = 1 + Math.floor(ticks.random() * calls);
  const is = (["dead before", "dead after", "asleep"] as const)[Math.floor(ticks.random() * 6)];
  return is ? { at, is } : null;
};

describe("the cron", () => {
  it("[R1] [R2] consolidates each of 10,000 dirty buckets once, in invocations that die, double, stop and come late", async () => {
    const ticks = new Ticks(7, 10_000);
    for (const key of ticks.keys) await ticks.write(key);
    ticks.faulty = 0.1;
    let slots = 0;
    for (; (await ticks.lab.waiting()) > 0 && slots < 100; slots++)
      await ticks.slot(anyFate(ticks, 4_500));
    ticks.check();
    expect(await ticks.lab.waiting()).toBe(0);
    for (const { applied } of ticks.lab.buckets.values()) expect(applied).toHaveLength(1);
    console.log(
      `10,000 buckets: ${slots} slots, ${ticks.invocations} invocations, at most ${ticks.mostCalls} calls in one, ${ticks.modelCalls} model calls, ${ticks.faults} faults`,
    );
    expect(ticks.mostCalls).toBeLessThanOrEqual(5_000);
    // A model is asked again only where an invocation ended between its answer and the commit.
    expect(ticks.modelCalls).toBeLessThanOrEqual(10_000 + 4 * ticks.faults);
  });

  it.each(["dead before", "dead after", "asleep"] as const)(
    "[R1] [R2] goes on, whichever of its calls it is %s at",
    async (is) => {
      const ticks = new Ticks(1, 5);
      let hit = 1;
      for (let at = 1; hit > 0; at += 2) {
        for (const key of ticks.keys) await ticks.write(key);
        const before = ticks.faults;
        let no = 0;
        await ticks.slot(() => ((no += 1) === 1 ? { at, is } : null));
        hit = ticks.faults - before;
        for (let slot = 0; slot < 4 && (await ticks.lab.waiting()) > 0; slot++)
          await ticks.slot(well);
        expect(await ticks.lab.waiting()).toBe(0);
      }
      ticks.check();
      expect(ticks.faults).toBeGreaterThan((66 + 5 * 4) / 2);
    },
  );

  it.each([1, 2, 3])(
    "[R1] [R2] loses and doubles nothing that is written meanwhile, whatever happens (seed %i)",
    async (seed) => {
      const allowance = { calls: 400, ms: 12 * MINUTE };
      const ticks = new Ticks(seed, 150, { allowance });
      Object.assign(ticks, { faulty: 15, writes: 25 });
      for (const key of ticks.keys) await ticks.write(key);
      for (let slot = 0; slot < 12; slot++) await ticks.slot(anyFate(ticks, 300));
      Object.assign(ticks, { faulty: 0, writes: 0 });
      for (let slot = 0; slot < 60 && (await ticks.lab.waiting()) > 0; slot++)
        await ticks.slot(well);
      expect(await ticks.lab.waiting()).toBe(0);
      ticks.check();
      expect(ticks.mostCalls).toBeLessThanOrEqual(400);
      expect(ticks.faults).toBeGreaterThan(10);
      const passes = await ticks.lab.shard(passShard()).passes();
      expect(passes.every(({ slot }, no) => slot > (passes[no + 1]?.slot ?? 0))).toBe(true);
    },
  );
});
