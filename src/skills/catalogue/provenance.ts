import { shortHash } from "../../shared/short-hash.ts";
import type { SkillProvenance } from "../../shared/skill-facts.ts";
import type { Snapshot } from "../../shared/workspace-snapshot.ts";
import { provenanceEntry, provenanceFile } from "../bucket/provenance-records.ts";
import { nameKey } from "./name-key.ts";

/** Where an own skill comes from; `null`: a person made it. `unknown`: why that cannot be told, in words. */
export type Origin =
  | { readonly kind: "known"; readonly provenance: SkillProvenance | null }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Says of a name where the own skill comes from. What is written down but cannot be read is unknown, of one skill or of all:
 * it never counts as made by a person. One whose head is not the one that was promoted is a person's by now.
 */
export function originsIn({ files }: Snapshot): (name: string, head: string | null) => Origin {
  const file = files.find(({ path }) => path === provenanceFile.path);
  if (!file) return () => ({ kind: "known", provenance: null });
  const records = recordsIn(file.text);
  if (!records) return () => unknown("it is not a JSON object");
  return (name, head) => {
    const record = records.get(nameKey(name));
    if (record === undefined) return { kind: "known", provenance: null };
    const parsed = provenanceEntry.safeParse(record);
    if (!parsed.success) return unknown("its record of this skill is malformed");
    return { kind: "known", provenance: isAsPromoted(parsed.data, head) ? parsed.data : null };
  };
}

const isAsPromoted = (known: SkillProvenance, head: string | null): boolean =>
  known.head === null || (head !== null && shortHash(head) === known.head);

const unknown = (what: string): Origin => ({
  kind: "unknown",
  why: `Who made it cannot be told: "${provenanceFile.path}" cannot be read, since ${what}. Mend that file, or delete it.`,
});

function recordsIn(text: string | null): ReadonlyMap<string, unknown> | null {
  try {
    const found: unknown = text === null ? null : JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
    return new Map(Object.entries(found).map(([name, record]) => [nameKey(name), record]));
  } catch {
    return null;
  }
}
