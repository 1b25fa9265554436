import type { ScanReport, SkillFile, Trust } from "../../../shared/skill-facts.ts";
import { hashSkill } from "../../format/hash.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import { scanSkill } from "../../scan/scan.ts";
import { allows } from "../../scan/trust.ts";
import { contentOf } from "../file-content.ts";
import type { StagedSkill } from "../index-file.ts";
import type { FetchedSkill, RepositoryLimits } from "../repository.ts";
import { leftOut, takeSkills } from "../take-skills.ts";

/** A skill that was looked at, and its files as they are to be kept. */
export type JudgedSkill = { readonly skill: StagedSkill; readonly files: readonly SkillFile[] };

export type Judged = {
  readonly skills: readonly JudgedSkill[];
  readonly problems: readonly string[];
};

const DOCUMENT = "SKILL.md";
/** Of the hash, in the name of the directory: nobody can make two skills of one name. */
const HASH_CHARS = 32;

/**
 * Of what a repository gave, whatever it is, the skills that can be kept, each scanned. Of two with one name the first one
 * counts. `staging`: the directory that their directories are in.
 */
export async function judgeSkills(
  given: readonly FetchedSkill[],
  { staging, trust, limits }: { staging: string; trust: Trust; limits: RepositoryLimits },
): Promise<Judged> {
  const taken = takeSkills(given, limits);
  const problems = [...taken.problems];
  const skills = new Map<string, JudgedSkill>();
  for (const { directory, files: all } of taken.skills) {
    const files = withDocument(all);
    const document = files.find(({ path }) => path === DOCUMENT);
    if (!document || !("text" in document.content)) {
      problems.push(leftOut(directory, "it has no SKILL.md with text."));
      continue;
    }
    const parsed = parseSkill(document.content.text, directory);
    if (parsed.kind === "bad") {
      problems.push(leftOut(directory, parsed.why));
      continue;
    }
    const { name, description, warnings } = parsed.header;
    if (skills.has(name)) {
      problems.push(leftOut(directory, `there is another skill ${JSON.stringify(name)}.`));
      continue;
    }
    const { hash } = await hashSkill(files);
    const scan = scanSkill(files);
    const place = `${staging}/${hash.slice(0, HASH_CHARS)}`;
    const quarantined = whyNot(trust, scan);
    const { verdict, findings } = scan;
    const judged = { verdict, quarantined, findings };
    const skill = { name, directory: place, description, warnings, ...judged, hash };
    skills.set(name, { skill, files });
  }
  return { skills: [...skills.values()], problems };
}

/** Text wherever it can be; SKILL.md in its one spelling, also where it was written in another one. */
function withDocument(files: readonly SkillFile[]): readonly SkillFile[] {
  const hasDocument = files.some(({ path }) => path === DOCUMENT);
  const other = hasDocument ? null : files.find(({ path }) => path.toLowerCase() === "skill.md");
  return files.map(({ path, content, executable }) => ({
    path: path === other?.path ? DOCUMENT : path,
    content: "text" in content ? content : contentOf(content.bytes),
    executable,
  }));
}

function whyNot(trust: Trust, { verdict, findings }: ScanReport): string | null {
  if (allows(trust, verdict)) return null;
  const worst = findings.find((finding) => finding.verdict === verdict) ?? findings[0];
  const what = worst ? ` (${worst.path}, line ${worst.line}: ${worst.why})` : "";
  return `The scan found it ${verdict === "dangerous" ? "dangerous" : "to need a look"}${what}, and its repository's trust is ${trust}.`;
}
