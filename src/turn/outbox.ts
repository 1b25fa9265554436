import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";

/**
 * Tells others what has happened here: jobs of the kinds `index` and `notify`. Tried at once and again with backoff, so
 * that no turn waits for it and nothing is lost.
 */
export class Outbox {
  constructor(_core: SessionCore, _harness: Harness) {}

  /** Something was put in: sees to it that it leaves soon. Writes nothing. */
  wake(): void {}

  /** Tries what is due. Never rejects; a second call waits for the same run. */
  run(): Promise<void> {
    return Promise.resolve();
  }
}
