import * as z from "zod";
import { invalid } from "../../shared/errors.ts";
import { shortHash } from "../../shared/short-hash.ts";
import type { ScanFinding, Verdict } from "../../shared/skill-facts.ts";
import { cutAt, utf8Length } from "../../shared/text.ts";
import type { SkillRepository } from "./repository.ts";

/** Where what repositories bring is kept, in the bucket that the agent's users share. */
export const STAGING = ".skills-cache";

/** Raised when skills are judged or kept in another way: then all of them are taken anew, each apart from what was. */
const FORM = 1;

/** A skill of a repository, as it can be used or why it cannot. */
export type StagedSkill = {
  readonly name: string;
  /** `.skills-cache/<namespace>/<hash>`; of one in quarantine nothing is there. */
  readonly directory: string;
  readonly description: string;
  readonly warnings: readonly string[];
  readonly verdict: Verdict;
  /** Why it must not be used; `null`: it may. */
  readonly quarantined: string | null;
  /** What the scanner found, or the first of it. */
  readonly findings: readonly ScanFinding[];
  readonly hash: string;
};

/** A directory that was in use until `at` (ms): who began with an older index may still read there. */
export type Retired = { readonly directory: string; readonly at: number };

/** What there is of a repository. Times are in milliseconds. */
export type RepositoryIndex = {
  /** When it was asked for what is here; `null`: it never answered. */
  readonly at: number | null;
  /** When it was asked the last time that it answered, if only that nothing has changed. */
  readonly checkedAt: number | null;
  readonly revision: string | null;
  /** Since it answered the last time: when it failed last, why, in words that can be shown, and how often. */
  readonly failure: { readonly at: number; readonly why: string; readonly times: number } | null;
  /** What was left out, and why, in words. */
  readonly problems: readonly string[];
  readonly skills: readonly StagedSkill[];
  readonly retired: readonly Retired[];
};

type Named = Pick<SkillRepository, "label" | "key" | "trust">;

/** Names what a repository brings: another one wherever other skills could be seen. */
export const namespaceOf = ({ label, key, trust }: Named): string =>
  `${label}-${shortHash(JSON.stringify([FORM, trust, key]))}`;

export const stagingOf = (repository: Named): string => `${STAGING}/${namespaceOf(repository)}`;

export const indexPath = (repository: Named): string => `${stagingOf(repository)}/index.json`;

const time = z.number().nonnegative();
const verdict = z.enum(["safe", "caution", "dangerous"]);

const Finding = z.object({
  rule: z.string(),
  category: z.enum([
    "exfiltration",
    "injection",
    "destructive",
    "persistence",
    "network",
    "obfuscation",
  ]),
  verdict: z.enum(["caution", "dangerous"]),
  path: z.string(),
  line: z.number(),
  excerpt: z.string(),
  why: z.string(),
});

const directory = z.string().regex(/^\.skills-cache\/[a-z0-9.-]+\/[0-9a-f]+$/);

const Index = z.object({
  version: z.literal(FORM),
  at: time.nullable(),
  checkedAt: time.nullable(),
  revision: z.string().nullable(),
  failure: z.object({ at: time, why: z.string(), times: z.number().int().positive() }).nullable(),
  problems: z.array(z.string()),
  skills: z.array(
    z.object({
      name: z.string().min(1),
      directory,
      description: z.string(),
      warnings: z.array(z.string()),
      verdict,
      quarantined: z.string().nullable(),
      findings: z.array(Finding),
      hash: z.string(),
    }),
  ),
  retired: z.array(z.object({ directory, at: time })),
});

/** An index as `indexText` writes it. Throws `CarrelError('invalid')` for any other text. */
export function parseRepositoryIndex(text: string): RepositoryIndex {
  const parsed = Index.safeParse(jsonOf(text));
  if (!parsed.success)
    throw invalid(
      "The index of this repository cannot be read. It is written anew when it is due.",
    );
  const { version: _version, ...index } = parsed.data;
  return index;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** It is read for every turn whose snapshot has changed. */
const MAX_BYTES = 400_000;

/** How much of each thing is kept: as much as fits. Characters, except for counts. */
type Measure = {
  readonly description: number;
  readonly warnings: number;
  readonly findings: number;
  readonly problems: number;
  readonly text: number;
};

const measures: readonly Measure[] = [
  { description: 1_024, warnings: 10, findings: 20, problems: 100, text: 400 },
  { description: 1_024, warnings: 3, findings: 5, problems: 50, text: 300 },
  { description: 500, warnings: 1, findings: 1, problems: 50, text: 200 },
  { description: 200, warnings: 0, findings: 0, problems: 20, text: 100 },
];

/** The text of an index, of which so much is left out that it stays below 400,000 bytes with 200 skills. */
export function indexText(index: RepositoryIndex): string {
  let text = "";
  for (const measure of measures) {
    text = `${JSON.stringify({ version: FORM, ...measured(index, measure) })}\n`;
    if (utf8Length(text) <= MAX_BYTES) return text;
  }
  return text;
}

function measured(index: RepositoryIndex, most: Measure): RepositoryIndex {
  const texts = (all: readonly string[], count: number) =>
    all.slice(0, count).map((text) => cutAt(text, most.text));
  const more = index.problems.length - most.problems;
  return {
    ...index,
    failure: index.failure && { ...index.failure, why: cutAt(index.failure.why, 400) },
    problems: [
      ...texts(index.problems, most.problems),
      ...(more > 0 ? [`There are ${more} more problems.`] : []),
    ],
    skills: index.skills.map((skill) => ({
      ...skill,
      description: cutAt(skill.description, most.description),
      warnings: texts(skill.warnings, most.warnings),
      findings: skill.findings.slice(0, most.findings),
      quarantined: skill.quarantined && cutAt(skill.quarantined, most.text),
    })),
  };
}
