import type { Change } from "../../shared/workspace-changes.ts";
import { cutAt } from "../../shared/text.ts";
import { ARCHIVE, archiveFile, archiveName, type ArchiveRecord } from "./archive-records.ts";
import { asHeld, filesIn, type SkillDirectory } from "./directory.ts";
import { readRecords, recordsChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** Something that is to be put away: where it is, as it was read, and what is to be known of it. */
export type PutAway = Pick<
  ArchiveRecord,
  "name" | "was" | "why" | "hash" | "provenance" | "draft"
> & { readonly files: SkillDirectory };

const MOST_WHY = 500;

/**
 * Changes that move own directories into the archive and record them there: nothing is copied, and a lower layer's skill shows
 * again where one was overridden. Refused when any of it has changed since it was read.
 */
export async function archiveChanges(
  parts: Pick<SkillParts, "files" | "clock">,
  put: readonly PutAway[],
): Promise<readonly Change[]> {
  const at = parts.clock.now();
  const before = await readRecords(parts.files, archiveFile);
  const taken = await archivedNames(parts);
  const entries = new Map([...before.entries].filter(([name]) => taken.has(name)));
  const changes = put.flatMap(({ files, ...known }): Change[] => {
    const name = archiveName(known.name, at, taken);
    taken.add(name);
    const from = files.directory;
    entries.set(name, { ...known, why: cutAt(known.why, MOST_WHY), at, from });
    const to = `${ARCHIVE}/${name}`;
    const move: Change = { kind: "move", path: from, to, holds: asHeld(files) };
    // Moving what a lower layer has, too, has hidden that.
    return [move, { kind: "reset", path: from }];
  });
  return [...changes, recordsChange(archiveFile, before, entries)];
}

/** The directories in the archive. */
export async function archivedNames(parts: Pick<SkillParts, "files">): Promise<Set<string>> {
  const found = await filesIn(parts, ARCHIVE);
  return new Set(found.map(({ path }) => path.slice(ARCHIVE.length + 1).split("/", 1)[0] ?? ""));
}
