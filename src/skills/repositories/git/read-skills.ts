import { CarrelError } from "../../../shared/errors.ts";
import type { SkillFile } from "../../../shared/skill-facts.ts";
import { cutAt, spellSize } from "../../../shared/text.ts";
import type { FetchedSkill, RepositoryLimits } from "../repository.ts";
import { type GitAddress, nameProblem } from "./git-address.ts";
import type { GitEntry, GitObjects } from "./git-objects.ts";

export type GitReading = {
  readonly address: GitAddress;
  readonly objects: GitObjects;
  readonly commit: string;
  /** Where the skills are; `null`: in `skills/`, else in the root, and in `.agents/skills/`. */
  readonly path: string | null;
  readonly limits: RepositoryLimits;
  readonly signal: AbortSignal;
};

type Place = { readonly path: string; readonly name: string; readonly id: string };

const SKILL = "SKILL.md";
const DEPTH = 10;

/** The skills of a commit, and what was left out of them. Throws `CarrelError`. */
export async function readGitSkills(
  reading: GitReading,
): Promise<{ readonly skills: readonly FetchedSkill[]; readonly problems: readonly string[] }> {
  const { limits, signal } = reading;
  const skills = new Map<string, FetchedSkill>();
  const problems: string[] = [];
  let total = 0;
  for (const place of await placesOf(reading, problems)) {
    signal.throwIfAborted();
    const read = new SkillReader(reading, place.path);
    const files = skills.has(place.name)
      ? read.no("there is one of this name in skills/")
      : await read.files(place.id);
    problems.push(...read.problems);
    if (files === null) continue;
    const left = beyond(limits, skills.size, total + read.bytes);
    if (left !== null) {
      problems.push(`${quoted(place.path)} and what follows is left out: ${left}.`);
      break;
    }
    total += read.bytes;
    skills.set(place.name, { directory: place.name, files });
  }
  return { skills: [...skills.values()], problems };
}

function beyond(limits: RepositoryLimits, skills: number, bytes: number): string | null {
  if (skills >= limits.skills) return `no more than ${limits.skills} skills are taken`;
  if (bytes > limits.totalBytes) return `no more than ${spellSize(limits.totalBytes)} are taken`;
  return null;
}

/** The directories that hold a SKILL.md. */
async function placesOf(reading: GitReading, problems: string[]): Promise<Place[]> {
  const { address, objects, path } = reading;
  const root = { path: "", name: address.name, id: reading.commit };
  const main = await find(objects, root, path ?? "skills");
  if (path !== null && main === null)
    throw new CarrelError(
      "not_found",
      `The repository at ${address.where} has no directory ${JSON.stringify(path)}. Check the path.`,
    );
  const further = path === null ? await find(objects, root, ".agents/skills") : null;
  const places: Place[] = [];
  for (const place of [main ?? root, further])
    if (place !== null) places.push(...(await below(reading, place, problems)));
  return places;
}

/** The directory itself where it is a skill, else those in it that are. */
async function below(reading: GitReading, place: Place, problems: string[]): Promise<Place[]> {
  const { objects, signal } = reading;
  const entries = await objects.directory(place.id);
  if (holdsSkill(entries)) return [place];
  const found: Place[] = [];
  for (const { name, kind, id } of entries) {
    signal.throwIfAborted();
    const path = joined(place.path, name);
    if (kind === "link" || kind === "module") {
      if (place.path !== "") problems.push(`${quoted(path)} is left out: ${oddities[kind]}.`);
    } else if (kind === "directory" && holdsSkill(await entriesOf(objects, id))) {
      found.push({ path, name, id });
    }
  }
  return found;
}

/** Of a directory that cannot be read: none. */
async function entriesOf(objects: GitObjects, id: string): Promise<readonly GitEntry[]> {
  try {
    return await objects.directory(id);
  } catch (error) {
    if (error instanceof CarrelError) return [];
    throw error;
  }
}

const holdsSkill = (entries: readonly GitEntry[]): boolean =>
  entries.some(({ name, kind }) => name === SKILL && (kind === "file" || kind === "program"));

async function find(objects: GitObjects, from: Place, path: string): Promise<Place | null> {
  let at = from;
  for (const name of path.split("/")) {
    const entries = await objects.directory(at.id);
    const next = entries.find((entry) => entry.name === name && entry.kind === "directory");
    if (next === undefined) return null;
    at = { path: joined(at.path, name), name, id: next.id };
  }
  return at;
}

const oddities: Readonly<Record<"link" | "module" | "other", string>> = {
  link: "it is a symbolic link",
  module: "it is a submodule, and only this repository is fetched",
  other: "it is no plain file",
};

const joined = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

const quoted = (path: string): string => JSON.stringify(cutAt(path, 300));

/** Reads the files of one skill. */
class SkillReader {
  readonly problems: string[] = [];
  bytes = 0;
  readonly #reading: GitReading;
  readonly #path: string;
  readonly #files: SkillFile[] = [];
  /** Entries that were looked at: a few trees can describe any number of files. */
  #steps = 0;

  constructor(reading: GitReading, path: string) {
    this.#reading = reading;
    this.#path = path;
  }

  /** `null` when the skill is left out, which is among the problems then. */
  async files(id: string): Promise<readonly SkillFile[] | null> {
    try {
      const why = await this.#walk(id, "", 0);
      if (why !== null) return this.no(why);
    } catch (error) {
      if (error instanceof CarrelError) return this.no(error.message);
      throw error;
    }
    return this.#files;
  }

  no(why: string): null {
    this.problems.splice(0);
    this.problems.push(`The skill ${quoted(this.#path)} is left out: ${why}${stop(why)}`);
    return null;
  }

  /** Why the skill cannot be taken; `null` when it can. */
  async #walk(id: string, prefix: string, depth: number): Promise<string | null> {
    const { objects, limits, signal } = this.#reading;
    if (depth > DEPTH) return `it has directories more than ${DEPTH} deep`;
    for (const entry of await objects.directory(id)) {
      signal.throwIfAborted();
      this.#steps += 1;
      if (this.#steps > limits.filesPerSkill * 10 || this.#files.length > limits.filesPerSkill)
        return `it has more than ${limits.filesPerSkill} files`;
      const path = joined(prefix, entry.name);
      const odd = nameProblem(entry.name);
      const why = odd === null ? await this.#take(entry, path, depth) : this.#leave(path, odd);
      if (why !== null) return why;
    }
    return this.#files.length > limits.filesPerSkill
      ? `it has more than ${limits.filesPerSkill} files`
      : null;
  }

  async #take(entry: GitEntry, path: string, depth: number): Promise<string | null> {
    const { objects, limits } = this.#reading;
    if (entry.kind === "directory") return this.#walk(entry.id, path, depth + 1);
    if (entry.kind !== "file" && entry.kind !== "program")
      return this.#leave(path, oddities[entry.kind]);
    const bytes = await objects.file(entry.id);
    if (bytes.length > limits.fileBytes) {
      const why = `it is larger than ${spellSize(limits.fileBytes)}`;
      return path === SKILL ? `of its SKILL.md, ${why}` : this.#leave(path, why);
    }
    this.bytes += bytes.length;
    if (this.bytes > limits.skillBytes) return `it is larger than ${spellSize(limits.skillBytes)}`;
    this.#files.push({ path, content: contentOf(bytes), executable: entry.kind === "program" });
    return null;
  }

  #leave(path: string, why: string): null {
    this.problems.push(`${quoted(joined(this.#path, path))} is left out: ${why}.`);
    return null;
  }
}

const stop = (words: string): string => (words.endsWith(".") ? "" : ".");

function contentOf(bytes: Uint8Array): SkillFile["content"] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? { bytes } : { text };
  } catch {
    return { bytes };
  }
}
