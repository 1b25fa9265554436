import {
  permissionModes,
  type PermissionMode,
  type Permissions,
  type Rules,
} from "../shared/permissions.ts";

/** What the operator's code says about permissions, for every session of an agent. */
export type PermissionConfig = Rules & {
  /** The mode of a session in which nobody has chosen one; `DEFAULT`. */
  readonly mode: PermissionMode;
  /** The modes that a session's person may choose; all. */
  readonly modes: readonly PermissionMode[];
  /** A parked call that nobody answers for so long is settled as denied; 7 days. */
  readonly approvalExpiresMs: number;
};

export const defaultPermissions: PermissionConfig = {
  mode: "DEFAULT",
  allow: [],
  ask: [],
  deny: [],
  modes: permissionModes,
  approvalExpiresMs: 7 * 86_400_000,
};

/** What holds in a session in which nobody has chosen yet. */
export const initialPermissions = ({ mode }: Pick<PermissionConfig, "mode">): Permissions => ({
  mode,
  allow: [],
  ask: [],
  deny: [],
});
