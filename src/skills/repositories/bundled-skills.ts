import { shortHash } from "../../shared/short-hash.ts";
import type { SkillFile, Trust } from "../../shared/skill-facts.ts";
import { contentOf } from "./file-content.ts";
import { repositoryLabel } from "./label.ts";
import type { FetchedSkill, SkillRepository } from "./repository.ts";
import { leftOut, takeSkills } from "./take-skills.ts";

export type BundledSkillsOptions = {
  readonly label: string;
  /** Default `builtin`. */
  readonly trust?: Trust;
  /** What is in the directories of skills, by path: `pdf/SKILL.md`, `pdf/scripts/run.sh`. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
};

/**
 * Skills that are part of the deployment. A file that begins with `#!` can be run. What a new deployment brings is taken at
 * once. Throws `CarrelError('invalid')` for a label that cannot be used.
 */
export function bundledSkills(options: BundledSkillsOptions): SkillRepository {
  const { trust = "builtin", files } = options;
  const label = repositoryLabel(options.label);
  let known: string | null = null;
  const revision = () => (known ??= revisionOf(files));
  return {
    label,
    trust,
    key: `bundled ${label}`,
    origins: [],
    get revision() {
      return revision();
    },
    async take(has, { limits, signal }) {
      signal.throwIfAborted();
      if (has === revision()) return "unchanged";
      const { skills, stray } = directoriesOf(files);
      const taken = takeSkills(skills, limits);
      return { ...taken, problems: [...stray, ...taken.problems], revision: revision() };
    },
  };
}

function directoriesOf(files: BundledSkillsOptions["files"]): {
  readonly skills: readonly FetchedSkill[];
  readonly stray: readonly string[];
} {
  const skills = new Map<string, SkillFile[]>();
  const stray: string[] = [];
  for (const [name, data] of Object.entries(files)) {
    const at = name.indexOf("/");
    if (at === -1) {
      stray.push(leftOut(name, "it is in no directory. Put the files of each skill into its own."));
      continue;
    }
    const directory = name.slice(0, at);
    const content = typeof data === "string" ? { text: data } : contentOf(data.slice());
    const file = { path: name.slice(at + 1), content, executable: isScript(data) };
    const its = skills.get(directory) ?? [];
    its.push(file);
    skills.set(directory, its);
  }
  return { skills: [...skills].map(([directory, its]) => ({ directory, files: its })), stray };
}

const isScript = (data: string | Uint8Array): boolean =>
  typeof data === "string" ? data.startsWith("#!") : data[0] === 0x23 && data[1] === 0x21;

function revisionOf(files: BundledSkillsOptions["files"]): string {
  const all = Object.entries(files).map(([path, data]) =>
    JSON.stringify([path, shortHash(textOf(data))]),
  );
  return shortHash(all.toSorted().join());
}

function textOf(data: string | Uint8Array): string {
  if (typeof data === "string") return `text ${data}`;
  return `bytes ${Array.from(data, (byte) => String.fromCharCode(byte)).join("")}`;
}
