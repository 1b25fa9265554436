import { ApiError, postTurn } from "./api.js";

const [FIRST_WAIT, LONGEST_WAIT] = [1_000, 15_000];

/**
 * Hands a turn over, again and again with the same key while the server cannot be reached or is overloaded.
 * Rejects with the `ApiError` of a refusal, or with the signal's reason.
 * @param {string} session
 * @param {{ key: string, body: string }} turn
 * @param {{ signal: AbortSignal, onWait: (error: ApiError) => void }} options `onWait` is told why it waits.
 */
export async function deliver(session, turn, { signal, onWait }) {
  for (let failures = 0; ; failures++) {
    try {
      await postTurn(session, { ...turn, signal });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isTransient) throw error;
      onWait(error);
      const wait = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT);
      await pause(wait * (0.75 + Math.random() / 2), signal);
    }
  }
}

/**
 * Until the time is over or the network is back.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
