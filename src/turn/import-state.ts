import type { SessionCore } from "./core.ts";

/** Takes a state document in; see `SessionApi.importState`. How many messages it had. */
export function importState(
  _core: SessionCore,
  _state: unknown,
  _by: string,
  _isRegistered: boolean,
): number {
  return 0;
}
