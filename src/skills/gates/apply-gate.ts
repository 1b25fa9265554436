import type { Clock } from "../../shared/clock.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import type { Candidate, Decision, LiveSkill } from "../../shared/skill-drafts.ts";
import type { GateContext, GateDecision, SkillGate } from "../config.ts";
import type { Skills } from "../skills-client.ts";

const GATE_MS = 10_000;
const MAX_DEFER_MS = 366 * 86_400_000;
const MAX_REASON = 500;

/** What carrying out a gate's decision takes, beside what the gate is told. */
export type GateRun = GateContext & {
  /** What the name stands for in the caller's catalogue. */
  readonly live: LiveSkill | null;
  /** For what an approved draft becomes visible where the gate does not say. */
  readonly environments: readonly string[];
  /** Of whatever made the draft: what is decided is done once. */
  readonly op: string;
  readonly clock: Clock;
  readonly log: Log;
};

/** What has become of a draft. `waits`: for a person, as without a gate. */
export type Gated =
  | { readonly kind: "waits" }
  | { readonly kind: "promoted"; readonly gate: string }
  | { readonly kind: "rejected"; readonly gate: string; readonly reason: string }
  | {
      readonly kind: "deferred";
      readonly gate: string;
      readonly until: number;
      readonly reason: string | null;
    };

const waits: Gated = { kind: "waits" };

/**
 * Asks a gate about a draft, for at most 10 s, and does what it says. What the agent wrote is never approved here. Where
 * the gate fails or takes too long, or what it decided cannot be done (the draft is another one by now), the draft waits
 * for a person, and the log says so. Never rejects.
 */
export async function applyGate(
  gate: SkillGate | null,
  skills: Pick<Skills, "decide">,
  candidate: Candidate,
  run: GateRun,
): Promise<Gated> {
  if (!gate) return waits;
  const { draft } = candidate;
  try {
    const said = await inTime(gate, candidate, run);
    const decision = decisionOf(said, candidate, run);
    if (!decision) return waits;
    const { name, hash } = draft;
    const by = `gate:${gate.name}`;
    const op = `${run.op}:gate:${decision.kind}`;
    await skills.decide({ name, hash, decision, live: run.live, by, op });
    return gatedBy(gate.name, decision);
  } catch (error) {
    const { agent, user } = run.viewer;
    const facts = { gate: gate.name, skill: draft.name, agent, user, ...errorFacts(error) };
    run.log("error", "skill_gate_failed", facts);
    return waits;
  }
}

async function inTime(gate: SkillGate, candidate: Candidate, run: GateRun): Promise<GateDecision> {
  const { viewer, binding, clock } = run;
  const done = new AbortController();
  const late = clock.sleep(GATE_MS, done.signal).then((): never => {
    throw new Error(`the gate did not decide in ${GATE_MS / 1_000} s`);
  });
  // Aborting wakes it when nobody listens any more.
  late.catch(() => {});
  try {
    return await Promise.race([gate.decide(candidate, { viewer, binding }), late]);
  } finally {
    done.abort();
  }
}

/** What is to be done; `null`: a person decides. Throws a plain `Error` for what is no decision. */
function decisionOf(said: GateDecision, { draft }: Candidate, run: GateRun): Decision | null {
  switch (said.kind) {
    case "ask":
      return null;
    case "approve":
      if (draft.origin === "agent") return null;
      return { kind: "promote", environments: said.environments ?? run.environments };
    case "reject":
      return { kind: "reject", reason: said.reason.slice(0, MAX_REASON) };
    case "defer": {
      const { afterMs, reason = null } = said;
      if (!(afterMs > 0 && afterMs <= MAX_DEFER_MS))
        throw new Error(`the gate defers by ${afterMs} ms`);
      const until = run.clock.now() + Math.round(afterMs);
      return { kind: "defer", until, reason: reason?.slice(0, MAX_REASON) ?? null };
    }
    default:
      throw new Error("the gate's answer is no decision");
  }
}

function gatedBy(gate: string, decision: Decision): Gated {
  if (decision.kind === "promote") return { kind: "promoted", gate };
  if (decision.kind === "reject") return { kind: "rejected", gate, reason: decision.reason };
  return { kind: "deferred", gate, until: decision.until, reason: decision.reason };
}
