import { sha256Hex } from "../../shared/sha256.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";

/** `files`: the SHA-256 of each file's bytes, by path. `hash`: of all of it, so that a decision can be bound to it. */
export type SkillHash = { readonly hash: string; readonly files: ReadonlyMap<string, string> };

/**
 * Names what a skill consists of: the same exactly for the same paths, bytes and executable bits, in whatever order. It is
 * the SHA-256 of the JSON list of `[path, sha256, executable]`, sorted by path; all in lower-case hex.
 */
export async function hashSkill(files: readonly SkillFile[]): Promise<SkillHash> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const rows: [path: string, sha256: string, executable: boolean][] = [];
  for (const { path, content, executable } of sorted)
    rows.push([path, await sha256Hex(bytesOf(content)), executable]);
  return {
    hash: await sha256Hex(encoder.encode(JSON.stringify(rows))),
    files: new Map(rows.map(([path, sha256]) => [path, sha256])),
  };
}

const encoder = new TextEncoder();

const bytesOf = (content: SkillFile["content"]): Uint8Array =>
  "text" in content ? encoder.encode(content.text) : content.bytes;
