import type { Candidate, CandidateFile, LiveSkill } from "../../shared/skill-drafts.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import { hashSkill } from "../format/hash.ts";
import { sizeOf } from "./directory.ts";
import { summaryOf } from "./draft.ts";
import { lookAt, noDraft } from "./look.ts";
import { readRecords } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { usageFile } from "./usage-records.ts";

/** All that a person has to see of a draft, every file in full. Throws `CarrelError('not_found')`. */
export async function candidateOf(
  parts: SkillParts,
  name: string,
  from: LiveSkill | null,
): Promise<Candidate> {
  const look = await lookAt(parts, name, from);
  if (!look) throw noDraft(name);
  const { draft, there, scan, obstacle } = look;
  const files = draft.files?.files ?? [];
  const shown = await described(files);
  const live = new Map((await described(there?.files ?? [])).map((file) => [file.path, file]));
  const kept = new Set(shown.map(({ path }) => path));
  const usage = await readRecords(parts.files, usageFile);
  return {
    draft: summaryOf(draft, files, scan),
    files: shown.map((file) => ({ ...file, live: counterpart(live.get(file.path)) })),
    removed: [...live.values()].filter(({ path }) => !kept.has(path)),
    scan,
    conflict: obstacle?.why ?? null,
    usage: usage.entries.get(name) ?? null,
  };
}

type Described = Omit<CandidateFile, "live">;

async function described(files: readonly SkillFile[]): Promise<readonly Described[]> {
  const { files: digests } = await hashSkill(files);
  return files.map(({ path, content, executable }) => {
    const sha256 = digests.get(path);
    if (sha256 === undefined) throw new Error(`no digest of ${path}`);
    const text = "text" in content ? content.text : null;
    return { path, sha256, size: sizeOf(content), executable, text };
  });
}

function counterpart(file: Described | undefined): CandidateFile["live"] {
  if (!file) return null;
  const { sha256, size, executable, text } = file;
  return { sha256, size, executable, text };
}
