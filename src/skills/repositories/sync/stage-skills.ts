import type { Listed } from "../../../shared/workspace-api.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { bytesOf } from "../file-content.ts";
import type { JudgedSkill } from "./judge-skills.ts";
import { BY, type SyncParts } from "./parts.ts";

/** A call to the object takes 32 MiB; one request holds this much, or one larger file. */
const REQUEST_BYTES = 4_000_000;
const REQUEST_CHANGES = 200;

type Write = { readonly change: Change; readonly size: number };

/**
 * Writes the files of skills that are not there yet: each skill lies in a directory of its hash, so what is there is the
 * same. Nobody sees them before an index names them. Cut off anywhere, the next call writes the rest. Gives how many files
 * were written.
 */
export async function stageSkills(
  { workspace }: Pick<SyncParts, "workspace">,
  skills: readonly JudgedSkill[],
  there: readonly Listed[],
): Promise<number> {
  const known = new Map(there.map(({ path, file }) => [path, file]));
  const writes: Write[] = [];
  for (const { skill, files } of skills) {
    if (skill.quarantined !== null) continue;
    for (const { path, content, executable } of files) {
      const bytes = bytesOf(content);
      const at = `${skill.directory}/${path}`;
      const file = known.get(at);
      if (file?.size === bytes.length && file.executable === executable) continue;
      const change = { kind: "write", path: at, content: { bytes }, executable } as const;
      writes.push({ change, size: bytes.length });
    }
  }
  const run = crypto.randomUUID();
  for (const [no, changes] of requestsOf(writes).entries())
    await workspace.change({ by: BY, changes, op: `skills-${run}-${no}` });
  return writes.length;
}

function requestsOf(writes: readonly Write[]): readonly (readonly Change[])[] {
  const requests: Change[][] = [];
  let bytes = Infinity;
  for (const { change, size } of writes) {
    const last = requests.at(-1);
    if (!last || bytes + size > REQUEST_BYTES || last.length === REQUEST_CHANGES) {
      requests.push([change]);
      bytes = size;
    } else {
      last.push(change);
      bytes += size;
    }
  }
  return requests;
}
