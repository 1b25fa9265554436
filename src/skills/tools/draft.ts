import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type {
  DraftChange,
  DraftChanged,
  DraftSummary,
  LiveSkill,
} from "../../shared/skill-drafts.ts";
import type { ScanFinding, ScanReport } from "../../shared/skill-facts.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { applyGate, type Gated } from "../gates/apply-gate.ts";
import { gatedText } from "../gates/gated-text.ts";
import { listed } from "./listed.ts";
import type { SkillToolParts } from "./parts.ts";

const HASH_CHARS = 12;
const DECIDED = "It is no draft any more: it was decided about meanwhile.";

export type DraftWish = {
  readonly name: string;
  readonly change: DraftChange;
  readonly live: LiveSkill | null;
};

type Parts = Pick<
  SkillToolParts,
  "skillsOf" | "gate" | "binding" | "environments" | "clock" | "log"
>;

/** Makes or changes a draft as the agent, has the gate look at it, and says in words what has become of it. */
export async function changeDraft(
  parts: Parts,
  context: ToolContext,
  { name, change, live }: DraftWish,
): Promise<string> {
  const { address, author: by, op } = context;
  const skills = parts.skillsOf(address);
  const changed = await skills.changeDraft({
    name,
    change,
    live,
    by,
    op,
    origin: "agent",
    trust: "agent",
    session: address.session,
  });
  if (!changed.draft)
    return change.kind === "delete"
      ? `The draft of ${name} was put away. Nothing that is in use has changed.`
      : DECIDED;
  const gated = await gate(parts, context, changed.draft, live);
  return [
    `${whatItIs(changed.draft)} ${whatItHas(changed.draft)}`,
    ...matchOf(changed),
    ...scanLines(changed.scan),
    outcomeOf(gated),
  ].join("\n");
}

/**
 * `decided`: what was changed is no draft any more, as the same call was made before or a person was quicker. What else
 * keeps the gate from deciding leaves the draft to a person, as the draft is there.
 */
async function gate(
  parts: Parts,
  { address, op }: ToolContext,
  { name }: DraftSummary,
  live: LiveSkill | null,
): Promise<Gated | { readonly kind: "decided" }> {
  if (!parts.gate) return { kind: "waits" };
  const skills = parts.skillsOf(address);
  try {
    const candidate = await skills.candidate(name, live);
    const { agent, user, session } = address;
    return await applyGate(parts.gate, skills, candidate, {
      ...parts,
      viewer: { agent, user, session },
      live,
      op,
    });
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return { kind: "decided" };
    parts.log("error", "skill_gate_failed", {
      gate: parts.gate.name,
      skill: name,
      ...errorFacts(error),
    });
    return { kind: "waits" };
  }
}

function whatItIs({ name, action, absorbedInto, base }: DraftSummary): string {
  if (action === "archive") {
    const into = absorbedInto === null ? "" : `, as ${absorbedInto} has what was in it`;
    return `A draft says that the skill ${name} is to be archived${into}.`;
  }
  return base === null
    ? `There is a draft of a new skill, ${name}.`
    : `There is a draft of a new version of the skill ${name}.`;
}

const whatItHas = ({ hash, files }: DraftSummary): string =>
  `Hash ${hash.slice(0, HASH_CHARS)}, ${files === 1 ? "1 file" : `${files} files`}.`;

const matchOf = ({ matched }: DraftChanged): string[] =>
  matched === undefined
    ? []
    : [`The text to replace was found: ${matched === "exact" ? "an exact match" : matched}.`];

function scanLines({ verdict, findings }: ScanReport): string[] {
  if (findings.length === 0) return [`Scan: ${verdict}.`];
  return [
    `Scan: ${verdict}. Whoever decides sees this too:`,
    listed(findings.map(findingLine), { join: "\n" }),
  ];
}

const findingLine = ({ path, line, category, why, excerpt }: ScanFinding): string =>
  `- ${path}, line ${line} (${category}): ${why} ${JSON.stringify(excerpt)}`;

function outcomeOf(gated: Gated | { readonly kind: "decided" }): string {
  if (gated.kind === "decided") return DECIDED;
  const waits = "It changes nothing yet: a person has to look at it and promote it.";
  const text = gatedText(gated);
  if (text === null) return waits;
  return gated.kind === "deferred" ? `${waits} ${text}` : text;
}
