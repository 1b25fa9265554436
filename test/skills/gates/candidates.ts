import type { Candidate, DecisionRequest, DraftSummary } from "../../../src/shared/skill-drafts.ts";
import type { SkillGate } from "../../../src/skills/config.ts";
import type { GateRun } from "../../../src/skills/gates/apply-gate.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A draft of a skill `pdf` that somebody has sent, safe and new. */
export function candidate(
  draft: Partial<DraftSummary> = {},
  given: Partial<Omit<Candidate, "draft">> = {},
): Candidate {
  return {
    draft: {
      name: "pdf",
      action: "publish",
      absorbedInto: null,
      hash: "a".repeat(64),
      base: null,
      target: "skills/pdf",
      origin: "upload",
      trust: "trusted",
      createdAt: 1_764_500_000_000,
      changedAt: 1_764_500_001_000,
      by: "user:ann",
      session: null,
      deferredUntil: null,
      deferredWhy: null,
      description: "About PDF files.",
      verdict: "safe",
      files: 1,
      bytes: 100,
      ...draft,
    },
    files: [],
    removed: [],
    scan: { verdict: "safe", findings: [] },
    conflict: null,
    usage: null,
    ...given,
  };
}

/** Where gates decide: what they decided, what the log says, and a clock that is moved by hand. */
export class GateDesk {
  readonly clock = new ManualClock();
  readonly decided: DecisionRequest[] = [];
  readonly log: string[] = [];
  decide: (request: DecisionRequest) => Promise<void> = () => Promise.resolve();

  readonly skills = {
    decide: async (request: DecisionRequest) => {
      await this.decide(request);
      this.decided.push(request);
      return { name: request.name, outcome: "promoted" as const, hash: request.hash };
    },
  };

  readonly run: GateRun = {
    viewer: { agent: "main", user: "ann", session: "s1" },
    binding: () => undefined,
    live: null,
    environments: ["prod"],
    op: "call-1",
    clock: this.clock,
    log: (level, event, facts) => void this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
  };
}

export const gate = (decide: SkillGate["decide"]): SkillGate => ({ name: "test", decide });
