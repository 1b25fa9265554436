import type { SkillGate } from "../config.ts";

/** Rejects every draft at once, which puts it away. `reason` is told to whoever made it. */
export const rejectAll = (reason = "No new skills are taken here."): SkillGate => ({
  name: "reject-all",
  decide: () => Promise.resolve({ kind: "reject", reason }),
});
