import { CarrelError } from "../../shared/errors.ts";
import { headOf } from "../../shared/skill-head.ts";
import type { Content } from "../../shared/workspace-files.ts";
import { nameOf, parentOf, type WorkspacePath } from "../layers/path.ts";
import { unitOf } from "../layers/path-rules.ts";

/** A SKILL.md, and how its text is had. */
export type HeadFile = {
  readonly path: WorkspacePath;
  readonly etag: string;
  readonly read: () => Content | Promise<Content>;
};

/** All heads of one answer together, in UTF-16 units: a call carries 32 MiB, in which a unit takes two bytes. */
const ALL_HEADS = 2 * 1024 * 1024;

/** `SKILL.md` in any case of letters. */
export const isSkillName = (name: string): boolean => /^skill\.md$/i.test(name);

/** Whether a file is the SKILL.md of a skill, in any case of letters. */
export const isSkillFile = (path: WorkspacePath): boolean =>
  isSkillName(nameOf(path)) && unitOf(path) === parentOf(path);

/** Heads of SKILL.md files, each read once for every etag of its file. Those of the files asked for last are kept. */
export class Heads {
  #kept: ReadonlyMap<WorkspacePath, { readonly etag: string; readonly head: string }> = new Map();

  /**
   * The heads of text files, one after the other. A file has none when it is damaged, which its reader has told, and from
   * the first on for which there is no room. Throws `CarrelError` when one cannot be read just now.
   */
  async of(files: readonly HeadFile[]): Promise<ReadonlyMap<WorkspacePath, string>> {
    const before = this.#kept;
    const kept = new Map<WorkspacePath, { readonly etag: string; readonly head: string }>();
    const heads = new Map<WorkspacePath, string>();
    let room = ALL_HEADS;
    for (const file of files) {
      const { path, etag } = file;
      const known = before.get(path);
      const head = known?.etag === etag ? known.head : await headHere(file);
      if (head === null) continue;
      room -= head.length;
      if (room < 0) break;
      kept.set(path, { etag, head });
      heads.set(path, head);
    }
    this.#kept = kept;
    return heads;
  }
}

async function headHere({ read }: HeadFile): Promise<string | null> {
  try {
    const answer = read();
    const content = answer instanceof Promise ? await answer : answer;
    return "text" in content ? copyOf(headOf(content.text)) : null;
  } catch (error) {
    if (error instanceof CarrelError) throw error;
    return null;
  }
}

/** A string of its own: a part of another one would keep that whole in memory. */
const copyOf = (part: string): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new TextEncoder().encode(part));
