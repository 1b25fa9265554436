import { sha256Hex } from "../../../shared/sha256.ts";
import { bytesOf } from "../file-content.ts";
import type { FetchedSkill } from "../repository.ts";
import type { Asked } from "./ask.ts";

/** The revision of an index that decides all that it names: which of the places it was at, its hash, its etag. */
export type IndexRevision = {
  readonly place: number;
  readonly sha256: string;
  readonly etag: string | null;
};

/** What can be sent back as it is. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/;

/** That of an index at a place; `text`: as it is kept. */
export async function indexRevision(
  place: number,
  { bytes, etag }: Pick<Asked, "bytes" | "etag">,
): Promise<IndexRevision & { readonly text: string }> {
  const sha256 = await sha256Hex(bytes);
  const kept = etag !== null && ETAG.test(etag) ? etag : null;
  return { place, sha256, etag: kept, text: `index ${place} ${sha256} ${kept ?? ""}` };
}

/** `null`: it is of another kind. */
export function parseIndexRevision(text: string): IndexRevision | null {
  const [, place, sha256, etag = ""] = /^index (\d) ([0-9a-f]{64}) (.*)$/.exec(text) ?? [];
  if (place === undefined || sha256 === undefined) return null;
  return { place: Number(place), sha256, etag: ETAG.test(etag) ? etag : null };
}

/** The revision of what was fetched, where the index alone does not say it. */
export async function contentRevision(
  skills: readonly FetchedSkill[],
  problems: readonly string[],
): Promise<string> {
  const lines: unknown[] = [problems];
  for (const { directory, files } of skills)
    for (const { path, content, executable } of files)
      lines.push([directory, path, executable, await sha256Hex(bytesOf(content))]);
  return `content ${await sha256Hex(new TextEncoder().encode(JSON.stringify(lines)))}`;
}
