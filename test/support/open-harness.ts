import { defaultPermissions } from "../../src/permissions/config.ts";
import type { Harness } from "../../src/turn/harness.ts";

/** A harness in which every tool may run, nobody is told of anything, and nothing lies outside the session. */
export const openHarness: Pick<Harness, "permissions" | "hasPlanMode" | "notify" | "forget"> = {
  permissions: { ...defaultPermissions, mode: "BYPASS" },
  hasPlanMode: true,
  notify: null,
  forget: () => Promise.resolve(),
};
