import type { SessionLink } from "../../src/shared/session-api.ts";

/** A platform on which no other session can be reached. */
export const noLink = (): SessionLink => {
  throw new Error("no other session is here");
};
