import type { Sent } from "../support/observation.ts";
import type { Facts, Reader } from "./reader.ts";

/** What all clients together know. */
export type Ledger = {
  readonly facts: Facts;
  readonly sent: Sent[];
  readonly readers: Reader[];
  /** Turns whose acceptance was acknowledged as new. */
  readonly news: Map<string, number>;
  /** Turns that a client was told are over. */
  readonly over: Set<string>;
  /** Answers that were taken, by call and digest. */
  readonly answers: Map<string, number>;
  /** Whether a client was told that the session is gone, or deleted. */
  isGone: boolean;
  /** The order of everything that clients do. */
  time: number;
};
