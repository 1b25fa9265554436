import type { UserSettings } from "../../shared/registry-api.ts";
import { isTimeZone, UTC } from "../../shared/time-zone.ts";
import { writeState, type StateDocuments } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";

/**
 * What to store of the zone that a message tells; `null` when that is stored already, or the message tells none. Once it
 * is committed it belongs into `core.place`.
 */
export function toldZone(
  { place }: Pick<SessionCore, "place">,
  timeZone: string | undefined,
): StateDocuments["zone"] | null {
  if (timeZone === undefined) return null;
  const isKnown = place?.from === "message" && place.zone === timeZone;
  return isKnown ? null : { zone: timeZone, from: "message" };
}

/**
 * Takes what the user has set for all sessions, committed when this returns, where it is new and no message has told
 * another zone. Costs nothing else.
 */
export function learnSettings(core: SessionCore, { timeZone }: UserSettings): void {
  const zone = timeZone !== null && isTimeZone(timeZone) ? timeZone : UTC;
  if (core.isDeleted || core.place?.from === "message" || core.zone === zone) return;
  const place = { zone, from: "setting" } as const;
  core.commit("job", () => writeState(core.sql, "zone", place));
  core.place = place;
}
