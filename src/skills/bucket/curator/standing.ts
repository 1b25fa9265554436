import { CarrelError } from "../../../shared/errors.ts";
import type { SkillProvenance, SkillUsage } from "../../../shared/skill-facts.ts";
import type { FileInfo } from "../../../shared/workspace-files.ts";
import { parseSkill } from "../../format/parse-skill.ts";
import { draftDirectory, draftsFile, type DraftRecord } from "../draft-records.ts";
import { provenanceFile } from "../provenance-records.ts";
import { readRecords, type Records } from "../record-file.ts";
import type { SkillParts } from "../skill-parts.ts";
import { unused, usageFile } from "../usage-records.ts";

/** A live skill of the bucket itself. */
export type LiveStanding = {
  readonly name: string;
  readonly description: string;
  readonly directory: string;
  readonly files: number;
  /** When the newest of its files was written: promoted, restored or changed by hand (ms). */
  readonly writtenAt: number;
  readonly usage: SkillUsage;
  /** `null`: a person made it. */
  readonly provenance: SkillProvenance | null;
};

export type DraftStanding = {
  readonly name: string;
  readonly record: DraftRecord;
  readonly files: number;
  /** When the newest of its files was written: also by who restored it (ms); 0: it has none. */
  readonly writtenAt: number;
};

/** What there is to judge. */
export type Standing = {
  /** By name. A name that two directories have is in none of them. */
  readonly skills: readonly LiveStanding[];
  /** Names that two directories have: which of them a record is about cannot be told. */
  readonly unclear: readonly string[];
  readonly drafts: readonly DraftStanding[];
};

/** What records say, as they are to be changed. */
export type CuratorRecords = {
  readonly usage: Records<SkillUsage>;
  readonly provenance: Records<SkillProvenance>;
  readonly drafts: Records<DraftRecord>;
};

/** Where live skills lie; the records of the bucket are about both. */
const PLACES: readonly string[] = ["skills", ".agents/skills"];
const PAGE = 2_000;

/** Throws what a record file that cannot be read throws. */
export async function readCuratorRecords({
  files,
}: Pick<SkillParts, "files">): Promise<CuratorRecords> {
  return {
    usage: await readRecords(files, usageFile),
    provenance: await readRecords(files, provenanceFile),
    drafts: await readRecords(files, draftsFile),
  };
}

/** Whether there is anything that the curator could ever change. */
export const isCurable = ({ provenance, drafts }: CuratorRecords): boolean =>
  drafts.entries.size > 0 ||
  [...provenance.entries.values()].some(({ createdBy }) => createdBy === "agent");

/** Reads the live skills of the bucket's own layer, and what is known of them. A directory without a usable SKILL.md is no skill. */
export async function readStanding(
  parts: Pick<SkillParts, "files">,
  { usage, provenance, drafts }: CuratorRecords,
): Promise<Standing> {
  const own = (await Promise.all(PLACES.map((place) => ownFiles(parts, place)))).flat();
  const found = await readHeaders(parts, liveDirectories(own));
  const named = Map.groupBy(found, ({ name }) => name);
  const skills = found.filter(({ name }) => named.get(name)?.length === 1);
  return {
    skills: skills
      .map((skill) => ({
        ...skill,
        usage: usage.entries.get(skill.name) ?? unused,
        provenance: provenance.entries.get(skill.name) ?? null,
      }))
      .toSorted(byName),
    unclear: [...named].flatMap(([name, { length }]) => (length > 1 ? [name] : [])).toSorted(),
    drafts: [...drafts.entries]
      .map(([name, record]) => {
        const within = `${draftDirectory(name)}/`;
        const files = own.filter(({ path }) => path.startsWith(within));
        return { name, record, files: files.length, writtenAt: newest(files) };
      })
      .toSorted(byName),
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

/** The bucket's own files below a directory, of all levels; none where there is no such directory. */
export async function ownFiles(
  { files }: Pick<SkillParts, "files">,
  directory: string,
): Promise<readonly FileInfo[]> {
  const found: FileInfo[] = [];
  const request = { directory, recursive: true, layer: "own", limit: PAGE } as const;
  try {
    for (let after: string | undefined; ;) {
      const page = await files.tree(after === undefined ? request : { ...request, after });
      found.push(...page.entries.flatMap(({ file }) => file ?? []));
      after = page.entries.at(-1)?.path;
      if (!page.cut) return found;
    }
  } catch (error) {
    // It is a file, or all of it went meanwhile.
    const isNone = error instanceof CarrelError && ["not_found", "invalid"].includes(error.code);
    if (isNone) return [];
    throw error;
  }
}

const newest = (files: readonly FileInfo[]): number =>
  Math.max(0, ...files.map(({ at }) => at ?? 0));

const LIVE = /^((?:\.agents\/)?skills\/[^/._][^/]*)\/(.+)$/;

type LiveDirectory = Pick<LiveStanding, "directory" | "files" | "writtenAt"> & {
  /** Of its SKILL.md. */
  readonly path: string;
};

function liveDirectories(own: readonly FileInfo[]): LiveDirectory[] {
  const directories = Map.groupBy(own, ({ path }) => LIVE.exec(path)?.[1]);
  return [...directories].flatMap(([directory, files]) => {
    if (directory === undefined) return [];
    const document = `${directory}/SKILL.md`;
    const head =
      files.find(({ path }) => path === document) ??
      files.find(({ path }) => path.toLowerCase() === document.toLowerCase());
    if (!head) return [];
    return [{ directory, path: head.path, files: files.length, writtenAt: newest(files) }];
  });
}

async function readHeaders(
  { files }: Pick<SkillParts, "files">,
  directories: readonly LiveDirectory[],
): Promise<Omit<LiveStanding, "usage" | "provenance">[]> {
  const found: Omit<LiveStanding, "usage" | "provenance">[] = [];
  for (let rest = directories; rest.length > 0;) {
    const paths = rest.slice(0, PAGE).map(({ path }) => path);
    const answer = await files.readMany({ paths, layer: "own" });
    for (const [at, read] of answer.files.entries()) {
      const { path: _path, ...known } = rest[at] ?? unexpected();
      const text = read && "text" in read.content ? read.content.text : null;
      const directory = known.directory.slice(known.directory.lastIndexOf("/") + 1);
      const parsed = text === null ? null : parseSkill(text, directory);
      if (parsed?.kind === "skill") found.push({ ...known, ...header(parsed.header) });
    }
    rest = rest.slice(answer.files.length);
  }
  return found;
}

const header = ({ name, description }: { name: string; description: string }) => ({
  name,
  description,
});

function unexpected(): never {
  throw new Error("more files came than were asked for");
}
