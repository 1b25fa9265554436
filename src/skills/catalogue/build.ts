import type { Snapshot } from "../../shared/workspace-snapshot.ts";
import type { SnapshotWants } from "../../turn/capability.ts";
import type { SkillViewer } from "../config.ts";
import { indexPath } from "../repositories/index-file.ts";
import type { SkillRepository } from "../repositories/repository.ts";
import { provenanceFile } from "../bucket/provenance-records.ts";
import type { Candidate } from "./candidate.ts";
import type { Catalogue, LeftOut } from "./catalogue.ts";
import { createFilters, type FilterConfig } from "./filters.ts";
import { LayerSkills, SKILL_DIRECTORIES, type Sources } from "./layer-skills.ts";
import { merge } from "./merge.ts";
import { repositorySkills } from "./repository-skills.ts";

export type CataloguesOf = {
  readonly config: FilterConfig;
  /** A later one counts more than an earlier one. With `sources.dynamic` `false` none is asked. */
  readonly repositories: readonly SkillRepository[];
  readonly sources: Sources;
};

/** The catalogues of one agent. */
export type Catalogues = {
  /** What a snapshot must have. */
  readonly wants: SnapshotWants;
  /**
   * What somebody's agent can load. One bad skill, repository or filter leaves itself out and hides nothing else. The same
   * object as before for the same snapshot and viewer while the filters say the same.
   */
  readonly of: (snapshot: Snapshot, viewer: SkillViewer) => Promise<Catalogue>;
};

type Merged = {
  readonly winners: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
  /** The newest catalogue of each viewer, with what the filters said. */
  readonly made: Map<string, { readonly said: string; readonly catalogue: Catalogue }>;
};

/** Makes catalogues. What a snapshot has is read once; only the filters run for each call. */
export function createCatalogues({ config, repositories, sources }: CataloguesOf): Catalogues {
  const asked = sources.dynamic ? repositories : [];
  const layers = new LayerSkills(sources);
  const filter = createFilters(config);
  const read = new WeakMap<Snapshot, Merged>();

  const mergedOf = (snapshot: Snapshot): Merged => {
    const known = read.get(snapshot);
    if (known) return known;
    const ranks = { own: 0, shared: 1, template: 2 + asked.length };
    const all = [
      layers.read(snapshot, ranks),
      ...asked.map((repository, at) =>
        repositorySkills(snapshot, repository, 1 + asked.length - at),
      ),
    ];
    const { winners, leftOut } = merge(all.flatMap(({ found }) => found));
    const left = [...all.flatMap((each) => each.leftOut), ...leftOut];
    const made: Merged = { winners, leftOut: left, made: new Map() };
    read.set(snapshot, made);
    return made;
  };

  return {
    wants: wantsOf(sources, asked),
    async of(snapshot, viewer) {
      const { winners, leftOut, made } = mergedOf(snapshot);
      const judged = await Promise.all(
        winners.map(async ({ skill, hidden }) => hidden ?? filter(skill, viewer)),
      );
      const key = JSON.stringify([viewer.agent, viewer.user, viewer.session]);
      const said = JSON.stringify(judged);
      const before = made.get(key);
      if (before?.said === said) return before.catalogue;
      const catalogue = {
        skills: winners.flatMap(({ skill }, at) => (judged[at] === null ? [skill] : [])),
        leftOut: [
          ...leftOut,
          ...winners.flatMap((winner, at) => filtered(winner, judged[at] ?? null)),
        ],
      };
      made.set(key, { said, catalogue });
      return catalogue;
    },
  };
}

function wantsOf(
  { own, dynamic }: Sources,
  repositories: readonly SkillRepository[],
): SnapshotWants {
  const records = own && dynamic ? [provenanceFile.path] : [];
  return {
    skills: SKILL_DIRECTORIES,
    files: [...records, ...repositories.map(indexPath)],
  };
}

function filtered({ skill }: Candidate, why: string | null): LeftOut[] {
  if (why === null) return [];
  return [{ what: skill.directory, name: skill.name, kind: "filtered", why }];
}
