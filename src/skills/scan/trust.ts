import type { Trust, Verdict } from "../../shared/skill-facts.ts";

/** Whether a skill of this verdict may be seen, by how far its author is trusted (AgentScope's policy). */
export function allows(trust: Trust, verdict: Verdict): boolean {
  switch (trust) {
    case "builtin":
      return true;
    case "trusted":
    case "agent":
      return verdict !== "dangerous";
    case "community":
      return verdict === "safe";
  }
}
