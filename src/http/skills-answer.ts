import type { Candidate } from "../shared/skill-drafts.ts";
import type { SkillRecords } from "../shared/skills-api.ts";
import type {
  CandidateView,
  RepositoryView,
  SkillsView,
  SkillView,
} from "../shared/skills-views.ts";
import type { Catalogue, CatalogueSkill } from "../skills/catalogue/catalogue.ts";
import { diffOf } from "../skills/review/diff.ts";

type Usage = SkillRecords["usage"][number];

/** All skills of a caller with how they are used, what was put away, and what is left out and why. */
export function listJson(
  catalogue: Catalogue,
  { usage, drafts, archived, problems }: SkillRecords,
  repositories: readonly RepositoryView[],
): SkillsView {
  const used = new Map(usage.map((one) => [one.name, one]));
  return {
    skills: catalogue.skills.map((skill) => skillJson(skill, used.get(skill.name))),
    drafts: drafts.length,
    archived,
    leftOut: catalogue.leftOut,
    repositories,
    problems,
  };
}

const neverUsed: Readonly<Omit<Usage, "name" | "state" | "archivedAt">> = {
  pinned: false,
  useCount: 0,
  viewCount: 0,
  lastUsedAt: null,
  lastViewedAt: null,
};

function skillJson(skill: CatalogueSkill, usage: Usage | undefined): SkillView {
  const { source, ...shown } = skill;
  // A name that was archived and is there again, from another layer, is in use.
  const state = usage?.state === "stale" ? "stale" : "active";
  const { pinned, useCount, viewCount, lastUsedAt, lastViewedAt } = usage ?? neverUsed;
  return {
    ...shown,
    source: source.kind === "layer" ? source.layer : source.label,
    isRepository: source.kind === "repository",
    state,
    pinned,
    usage: { useCount, viewCount, lastUsedAt, lastViewedAt },
  };
}

/** All that a person has to see before a decision, with what would change in each file. */
export const candidateJson = (candidate: Candidate): CandidateView => ({
  ...candidate,
  files: candidate.files.map((file) => ({ ...file, diff: diffOf(file) })),
});
