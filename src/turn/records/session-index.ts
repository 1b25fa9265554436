import type { SessionNews, UserSettings } from "../../shared/registry-api.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import type { Capability } from "../capability.ts";

export const SESSION_INDEX = "session-index";

/**
 * Keeps the lists of sessions up to date with the turns that end. What happens between is told by the outbox, so news of a
 * turn's end that come after news of a later wait change nothing. What comes back is what the user has set.
 */
export const createSessionIndex = (
  update: (address: SessionAddress, news: SessionNews) => Promise<UserSettings>,
): Capability => ({
  name: SESSION_INDEX,
  async afterTurns({ address, title, learn }, turns) {
    const at = turns.at(-1)?.entries.at(-1)?.at ?? 0;
    const settings = await update(address, { title, at, updatedAt: at, isWaiting: false });
    learn(settings);
  },
});
