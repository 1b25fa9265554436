import type { SnapshotWants } from "./capability.ts";

/** What all of them want of one snapshot together. */
export const allWants = (
  those: readonly { readonly wants?: SnapshotWants }[],
): Required<SnapshotWants> => ({
  files: [...new Set(those.flatMap(({ wants }) => wants?.files ?? []))],
  lists: those.flatMap(({ wants }) => wants?.lists ?? []),
  skills: [...new Set(those.flatMap(({ wants }) => wants?.skills ?? []))],
});
