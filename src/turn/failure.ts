import { CarrelError } from "../shared/errors.ts";
import { errorFacts } from "../shared/log.ts";
import type { SessionCore } from "./core.ts";

/** How a turn tells of what broke it off: an error that nobody expects is logged, and shown as an id. */
export function failureOf(
  { platform }: SessionCore,
  turn: string,
  error: unknown,
): { readonly code: string; readonly message: string } {
  if (error instanceof CarrelError) return { code: error.code, message: error.message };
  const id = platform.newId();
  platform.log("error", "turn_failed", { id, turn, ...errorFacts(error) });
  return { code: "internal", message: `Something went wrong (error ${id}).` };
}
