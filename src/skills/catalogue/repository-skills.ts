import type { Snapshot } from "../../shared/workspace-snapshot.ts";
import {
  indexPath,
  parseRepositoryIndex,
  stagingOf,
  type RepositoryIndex,
  type StagedSkill,
} from "../repositories/index-file.ts";
import type { SkillRepository } from "../repositories/repository.ts";
import type { Candidates } from "./candidate.ts";
import type { LeftOut } from "./catalogue.ts";

/** The skills of a repository, as its index in a snapshot says. Never throws: without one the repository is left out. */
export function repositorySkills(
  { files }: Snapshot,
  repository: SkillRepository,
  rank: number,
): Candidates {
  const { label, trust } = repository;
  const file = files.find(({ path }) => path === indexPath(repository));
  if (!file)
    return none({ what: label, name: null, kind: "pending", why: "It was not fetched yet." });
  const index = indexIn(file.text);
  if (!index) {
    const why = "What was fetched of it cannot be read. It is fetched anew when its time comes.";
    return none({ what: label, name: null, kind: "unreachable", why });
  }
  const isHere = ({ directory }: StagedSkill) => directory.startsWith(`${stagingOf(repository)}/`);
  const usable = index.skills.filter((skill) => whyNot(skill, isHere(skill)) === null);
  return {
    found: usable.map(({ name, description, directory, warnings }) => ({
      skill: {
        name,
        id: `${name}_${label}`,
        description,
        source: { kind: "repository", label, trust },
        directory,
        warnings,
        provenance: null,
      },
      rank,
      isAside: false,
      hidden: null,
    })),
    leftOut: [
      ...stateOf(label, index),
      ...index.problems.map((why): LeftOut => ({ what: label, name: null, kind: "bad", why })),
      ...index.skills.flatMap((skill) => whyNot(skill, isHere(skill)) ?? []),
    ],
  };
}

const none = (why: LeftOut): Candidates => ({ found: [], leftOut: [why] });

function indexIn(text: string | null): RepositoryIndex | null {
  try {
    return text === null ? null : parseRepositoryIndex(text);
  } catch {
    return null;
  }
}

/** What would forge a line wherever the name is shown. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const MAX_NAME = 128;

function whyNot(skill: StagedSkill, isHere: boolean): LeftOut | null {
  const { name, directory, description, quarantined } = skill;
  if (quarantined !== null) return { what: directory, name, kind: "quarantined", why: quarantined };
  const isName = name.trim() !== "" && name.length <= MAX_NAME && !FORBIDDEN.test(name);
  if (isName && isHere && description.trim() !== "") return null;
  const why = "Its entry in the index of its repository cannot be used.";
  return { what: directory, name: isName ? name : null, kind: "bad", why };
}

/** That it could not be asked the last time, and how old that makes its skills. */
function stateOf(label: string, { at, failure }: RepositoryIndex): LeftOut[] {
  const left = { what: label, name: null };
  if (!failure && at === null)
    return [{ ...left, kind: "pending", why: "It was not fetched yet." }];
  if (!failure) return [];
  const age =
    at === null
      ? "It never answered, so it has no skills here."
      : `Its skills are those of ${instant(at)}.`;
  const why = `It could not be fetched on ${instant(failure.at)}: ${failure.why} ${age}`;
  return [{ ...left, kind: "unreachable", why }];
}

/** The latest time that a date can say (ms). */
const LATEST = 8.64e15;

const instant = (at: number): string =>
  at <= LATEST ? new Date(at).toISOString() : "an unknown day";
