import { CarrelError } from "../../shared/errors.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import { cutAt, spellSize, utf8Length } from "../../shared/text.ts";
import { workspacePath } from "../../workspace/layers/path.ts";
import type { FetchedSkill, RepositoryLimits } from "./repository.ts";

/** Of a path within its skill, so that it fits a workspace wherever the skill is put. */
const MAX_PATH = 300;
const MAX_DIRECTORY = 128;

export type Taken = {
  readonly skills: readonly FetchedSkill[];
  /** What was left out, and why, in words. */
  readonly problems: readonly string[];
};

/** A name of somebody else's as messages show it. */
export const shownName = (name: string): string => JSON.stringify(cutAt(name, 100));

export const leftOut = (directory: string, why: string): string =>
  `${shownName(directory)} is left out: ${why}`;

/**
 * Of what a repository has, in its order, the skills that a workspace can keep within the limits, each of them whole or not
 * at all. What is in them is not looked at.
 */
export function takeSkills(given: Iterable<FetchedSkill>, limits: RepositoryLimits): Taken {
  const skills: FetchedSkill[] = [];
  const problems: string[] = [];
  const directories = new Set<string>();
  let total = 0;
  let beyond = 0;
  for (const skill of given) {
    if (skills.length >= limits.skills) {
      beyond += 1;
      continue;
    }
    const { directory, files } = skill;
    const size = sizeOf(files);
    const why = directories.has(directory)
      ? "there is another directory of this name."
      : (refusal(skill, limits) ??
        (total + size > limits.totalBytes
          ? `with it, the repository would be larger than ${spellSize(limits.totalBytes)}.`
          : null));
    if (why !== null) {
      problems.push(leftOut(directory, why));
      continue;
    }
    directories.add(directory);
    total += size;
    skills.push(skill);
  }
  if (beyond > 0) problems.push(tooMany(beyond, limits));
  return { skills, problems };
}

export const tooMany = (beyond: number, { skills }: Pick<RepositoryLimits, "skills">): string =>
  `The repository has more than ${skills} skills; ${beyond} are left out.`;

const sizeOf = (files: readonly SkillFile[]): number =>
  files.reduce((size, { content }) => size + bytesIn(content), 0);

const bytesIn = (content: SkillFile["content"]): number =>
  "text" in content ? utf8Length(content.text) : content.bytes.byteLength;

/** Why a skill cannot be kept, in words; `null`: it can. */
function refusal({ directory, files }: FetchedSkill, limits: RepositoryLimits): string | null {
  const badName = directoryRefusal(directory);
  if (badName !== null) return badName;
  if (files.length > limits.filesPerSkill) return `it has more than ${limits.filesPerSkill} files.`;
  for (const { path, content } of files) {
    if (bytesIn(content) > limits.fileBytes)
      return `its file ${shownName(path)} is larger than ${spellSize(limits.fileBytes)}.`;
    if ("text" in content && !content.text.isWellFormed())
      return `its file ${shownName(path)} holds half a character.`;
  }
  if (sizeOf(files) > limits.skillBytes)
    return `it is larger than ${spellSize(limits.skillBytes)}.`;
  return pathsRefusal(files.map(({ path }) => path));
}

/** Why the name of a directory cannot be taken, in words; `null`: it can. */
export function directoryRefusal(directory: string): string | null {
  const why = pathRefusal(directory);
  if (why !== null || directory.includes("/") || directory.length > MAX_DIRECTORY)
    return "the name of its directory cannot be used.";
  return null;
}

/** Why files of these paths cannot be together in a directory, in words; `null`: they can. */
export function pathsRefusal(paths: readonly string[]): string | null {
  const files = new Set<string>();
  const parents = new Set<string>();
  for (const path of paths) {
    const why = pathRefusal(path);
    if (why !== null) return why;
    if (files.has(path)) return `its file ${shownName(path)} is there twice.`;
    files.add(path);
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      parents.add(path.slice(0, at));
  }
  const both = paths.find((path) => parents.has(path));
  return both === undefined ? null : `${shownName(both)} is both a file and a directory.`;
}

/** A path is taken in its one spelling only: any other could hide what it means. */
function pathRefusal(path: string): string | null {
  const shown = `its file ${shownName(path)}`;
  if (utf8Length(path) > MAX_PATH) return `the path of ${shown} is longer than ${MAX_PATH} bytes.`;
  if (path.endsWith(".log.jsonl"))
    return `${shown} has a name that is kept for logs. Give it another one.`;
  try {
    if (path !== "" && workspacePath(path) === path) return null;
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
  }
  return `the path of ${shown} is not a plain relative one, such as references/notes.md.`;
}
