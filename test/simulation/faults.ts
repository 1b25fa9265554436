import type { Random } from "./random.ts";

/** What can go wrong, and how often it does where it can: at a point, in an event, for a call, for a write. */
const RATES = {
  /** The object vanishes at a `point()`; what was not flushed is lost with it. */
  "crash at a point": 0.02,
  /** It vanishes after its writes became durable, but before anything it said left. */
  "crash after a commit": 0.02,
  /** It vanishes while it waits. */
  "crash at an await": 0.008,
  /** It vanishes while it takes an interrupted turn over. */
  "crash in recovery": 0.3,
  /** Loading the session for a turn kills it. */
  "death by loading": 0.3,
  /** The object goes on over the same storage while a new one takes over. */
  "stale instance": 0.01,
  /** A transaction rolls back and throws. */
  "storage exception": 0.01,
  /** A call never arrives. */
  "lost call": 0.08,
  /** A call was served and its caller never hears. */
  "lost reply": 0.1,
  /** The registry did not hear, or was not heard. */
  "unreachable registry": 0.4,
  /** Whoever is to be told of waiting calls did not hear, or was not heard. */
  "unreachable watcher": 0.4,
  /** What lies outside could not be deleted, or only a part of it. */
  "half a deletion": 0.7,
  "duplicate alarm": 0.3,
  "early alarm": 0.01,
  "late alarm": 0.3,
  /** The wall clock jumps ahead. */
  "clock jump": 0.004,
  /** A reader takes minutes for one write. */
  "slow reader": 0.05,
  /** A write to a reader rejects. */
  "broken reader": 0.04,
} as const;

export type FaultKind = keyof typeof RATES;
export const faultKinds = Object.keys(RATES) as FaultKind[];

/** The bad luck of one run: which kinds it knows, how often they strike, and how many in all. */
export class Faults {
  readonly counts = new Map<FaultKind, number>();
  readonly #random: Random;
  readonly #rates: ReadonlyMap<FaultKind, number>;
  /** Bounded, so that every run comes to rest. */
  #left: number;

  constructor(random: Random) {
    this.#random = random;
    const isStorm = random.chance(0.03);
    const isCalm = random.chance(0.1);
    const only = random.chance(0.2) ? random.pick(faultKinds) : null;
    const severity = isStorm ? 10 : 0.5 + random.next();
    this.#left = isCalm ? 0 : isStorm ? 60 : random.between(1, 12);
    this.#rates = new Map(
      faultKinds
        .filter((kind) => (only ? kind === only : random.chance(0.5)))
        .map((kind) => [kind, Math.min(0.7, RATES[kind] * severity)]),
    );
  }

  /** Whether this goes wrong here and now. */
  strikes(kind: FaultKind): boolean {
    const rate = this.#rates.get(kind);
    if (rate === undefined || this.#left === 0 || !this.#random.chance(rate)) return false;
    this.#left--;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return true;
  }
}
