import type { Trust, Verdict } from "../../shared/skill-facts.ts";
import type { SkillGate } from "../config.ts";

/**
 * Approves what a person has sent where its trust and the scan's verdict are among these and nothing stands against it;
 * asks about everything else. By default what is trusted and safe. What the agent wrote is always asked about.
 */
export const approveTrusted = ({
  trust = ["builtin", "trusted"],
  verdicts = ["safe"],
}: {
  readonly trust?: readonly Trust[];
  readonly verdicts?: readonly Verdict[];
} = {}): SkillGate => ({
  name: "approve-trusted",
  decide: ({ draft, scan, conflict }) => {
    const isFine =
      draft.origin === "upload" &&
      conflict === null &&
      trust.includes(draft.trust) &&
      verdicts.includes(scan.verdict);
    return Promise.resolve({ kind: isFine ? "approve" : "ask" });
  },
});
