import { createHash } from "node:crypto";

/**
 * Makes SHA-256 answer in the same turn of the event loop, as a simulation needs it: all that happens there is on its
 * scheduler, and the platform's own digest comes from a thread. Gives the same digests. May be called again.
 */
export function makeDigestsInstant(): void {
  crypto.subtle.digest = async (_algorithm, data) => {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    return new Uint8Array(createHash("sha256").update(bytes).digest()).buffer;
  };
}
