import type { SkillHead, Snapshot } from "../../shared/workspace-snapshot.ts";
import type { LayerName } from "../../shared/workspace-files.ts";
import { parseSkill } from "../format/parse-skill.ts";
import type { ParsedSkill } from "../format/skill.ts";
import type { Candidate, Candidates } from "./candidate.ts";
import type { LeftOut } from "./catalogue.ts";
import { originsIn, type Origin } from "./provenance.ts";

/** Which layers of the workspace have a say: its own (`own`), and all but the template (`dynamic`). */
export type Sources = { readonly own: boolean; readonly dynamic: boolean };

/** Where skills lie, the one that counts more first. */
export const SKILL_DIRECTORIES = ["skills", ".agents/skills"] as const;

/** A snapshot has no more. */
const MAX_DIRECTORIES = 1_000;

const FULL: LeftOut = {
  what: SKILL_DIRECTORIES[0],
  name: null,
  kind: "bad",
  why: `No more than ${MAX_DIRECTORIES.toLocaleString("en")} directories are looked at. Delete some that nobody needs.`,
};

/** Reads the skills of a workspace out of snapshots. What it has parsed it knows until the next snapshot. */
export class LayerSkills {
  readonly #sources: Sources;
  #parsed: ReadonlyMap<string, { readonly head: string; readonly skill: ParsedSkill }> = new Map();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The skills of all layers, with the rank of each layer. */
  read(snapshot: Snapshot, ranks: Readonly<Record<LayerName, number>>): Candidates {
    const found: Candidate[] = [];
    const leftOut: LeftOut[] = [];
    const originOf = originsIn(snapshot);
    const parsed = new Map<string, { readonly head: string; readonly skill: ParsedSkill }>();
    const heads = snapshot.skills ?? [];
    if (heads.length >= MAX_DIRECTORIES) leftOut.push(FULL);
    for (const one of heads) {
      const known = this.#parsed.get(one.directory);
      const skill = known && known.head === one.head ? known.skill : parsedOf(one);
      if (one.head !== null) parsed.set(one.directory, { head: one.head, skill });
      const dropped = this.#whyDropped(one.layer);
      if (skill.kind === "bad") leftOut.push(left(one, "bad", skill.why));
      else if (dropped !== null) leftOut.push(left(one, "filtered", dropped, skill.header.name));
      else found.push(candidateOf(one, skill, ranks[one.layer], originOf));
    }
    this.#parsed = parsed;
    return { found, leftOut };
  }

  #whyDropped(layer: LayerName): string | null {
    const { own, dynamic } = this.#sources;
    if (layer === "own" && !own) return "This agent has no skills of a workspace of its own.";
    return layer !== "template" && !dynamic
      ? "This agent has the skills of its template only."
      : null;
  }
}

/** The last name of a path. */
const nameOf = (directory: string): string => directory.slice(directory.lastIndexOf("/") + 1);

const left = (
  { directory }: SkillHead,
  kind: LeftOut["kind"],
  why: string,
  name = nameOf(directory),
): LeftOut => ({ what: directory, name, kind, why });

/** One that cannot be read at all hides none of the others. */
function parsedOf({ directory, path, head }: SkillHead): ParsedSkill {
  if (path === null) return { kind: "bad", why: "It has no SKILL.md." };
  if (head === null)
    return {
      kind: "bad",
      why: `"${path}" is no text, is damaged, or found no room beside others.`,
    };
  try {
    return parseSkill(head, nameOf(directory));
  } catch {
    return { kind: "bad", why: `"${path}" cannot be parsed.` };
  }
}

function candidateOf(
  { directory, layer, head }: SkillHead,
  { header }: Extract<ParsedSkill, { kind: "skill" }>,
  rank: number,
  originOf: ReturnType<typeof originsIn>,
): Candidate {
  const { name, description, warnings } = header;
  const origin: Origin =
    layer === "own" ? originOf(name, head) : { kind: "known", provenance: null };
  const provenance = origin.kind === "known" ? origin.provenance : null;
  const source = { kind: "layer", layer } as const;
  return {
    skill: { name, id: `${name}_${layer}`, description, source, directory, warnings, provenance },
    rank,
    isAside: !directory.startsWith(`${SKILL_DIRECTORIES[0]}/`),
    hidden: origin.kind === "unknown" ? origin.why : null,
  };
}
