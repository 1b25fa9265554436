import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Storage } from "./storage.ts";

/** What everything in a run stands on. */
export type Ground = {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly storage: Storage;
  readonly faults: Faults;
  /** What lists sessions, and whether it knows this one. */
  readonly registry: { isTold: boolean };
  /** What of the session lies outside its own storage, and how often that was deleted. */
  readonly world: { files: number; forgotten: number };
  /** Notes what happens, when someone wants to know. */
  readonly trace: (line: () => string) => void;
  /** A promise was broken. */
  readonly violate: (what: string) => void;
};

/** Milliseconds that a message is under way: mostly few, sometimes many, so that everything overtakes everything. */
export const latency = ({ random }: Ground): number =>
  random.chance(0.9) ? random.between(1, 40) : random.between(100, 3_000);
