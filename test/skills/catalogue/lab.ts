import { headOf } from "../../../src/shared/skill-head.ts";
import type { Verdict } from "../../../src/shared/skill-facts.ts";
import type { Snapshot } from "../../../src/shared/workspace-snapshot.ts";
import type { LayerName } from "../../../src/shared/workspace-files.ts";
import { createCatalogues, type CataloguesOf } from "../../../src/skills/catalogue/build.ts";
import type {
  Catalogue,
  CatalogueSkill,
  LeftOut,
} from "../../../src/skills/catalogue/catalogue.ts";
import { defaultSkills, type SkillViewer } from "../../../src/skills/config.ts";
import { indexPath, indexText, stagingOf } from "../../../src/skills/repositories/index-file.ts";
import type { RepositoryIndex, StagedSkill } from "../../../src/skills/repositories/index-file.ts";
import type { SkillRepository } from "../../../src/skills/repositories/repository.ts";

export const ANN: SkillViewer = { agent: "main", user: "ann", session: "s1" };

/** A SKILL.md. */
export const skillText = (name: string, description = `What ${name} does.`): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\nDo it.\n`;

/** SKILL.md files by directory; `null`: the directory has none. */
export type Skills = Readonly<Record<string, string | null>>;

/** A snapshot of skills in these layers, which show in the order given, and of files of the bucket. */
export const snapshotOf = (
  layers: Partial<Record<LayerName, Skills>>,
  files: Readonly<Record<string, string | null>> = {},
): Snapshot => ({
  version: "1",
  files: Object.entries(files).map(([path, text]) => ({ path, layer: "own", size: 1, text })),
  lists: [],
  skills: (["own", "shared", "template"] as const).flatMap((layer) =>
    Object.entries(layers[layer] ?? {}).map(([directory, text]) => ({
      directory,
      layer,
      path: text === null ? null : `${directory}/SKILL.md`,
      head: text === null ? null : headOf(text),
    })),
  ),
});

/** Records of promoted skills, as their file has them. */
export const provenanceText = (
  records: Readonly<Record<string, { by?: "agent" | "person"; environments?: readonly string[] }>>,
): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(records).map(([name, { by = "agent", environments = [] }]) => [
        name,
        {
          created_by: by,
          created_at: "2026-11-01T00:00:00.000Z",
          promoted_at: "2026-11-02T00:00:00.000Z",
          promoted_by: "user:ann",
          source_session_id: "s1",
          hash: "0".repeat(64),
          environments,
        },
      ]),
    ),
  );

export const PROVENANCE = "skills/.provenance.json";

export const repositoryOf = (label: string): SkillRepository => ({
  label,
  trust: "community",
  key: `https://${label}.example`,
  origins: [],
  take: () => Promise.reject(new Error("not asked here")),
});

/** A skill as the index of that repository has it. */
export const staged = (
  repository: SkillRepository,
  name: string,
  more: Partial<StagedSkill> = {},
): StagedSkill => ({
  name,
  directory: `${stagingOf(repository)}/${Buffer.from(name).toString("hex")}`,
  description: `What ${name} does.`,
  warnings: [],
  verdict: "safe" satisfies Verdict,
  quarantined: null,
  findings: [],
  hash: "0",
  ...more,
});

/** The index of a repository, as a file of a snapshot. */
export const indexFile = (
  repository: SkillRepository,
  skills: readonly StagedSkill[],
  more: Partial<RepositoryIndex> = {},
): Record<string, string> => {
  const state = { at: 1_000, checkedAt: 1_000, revision: "r1", failure: null };
  const index = { ...state, problems: [], retired: [], ...more, skills };
  return { [indexPath(repository)]: indexText(index) };
};

type Of = {
  readonly config?: Partial<CataloguesOf["config"]>;
  readonly repositories?: readonly SkillRepository[];
  readonly sources?: Partial<CataloguesOf["sources"]>;
};

export const cataloguesOf = ({ config, repositories = [], sources }: Of = {}) =>
  createCatalogues({
    config: { ...defaultSkills, ...config },
    repositories,
    sources: { own: true, dynamic: true, ...sources },
  });

export const catalogueOf = (snapshot: Snapshot, of: Of = {}, viewer = ANN): Promise<Catalogue> =>
  cataloguesOf(of).of(snapshot, viewer);

/** `<id> <directory>` of each skill. */
export const idsOf = ({ skills }: Catalogue): string[] =>
  skills.map(({ id, directory }) => `${id} ${directory}`);

/** `<kind> <what>` of each that is left out. */
export const leftOf = ({ leftOut }: { readonly leftOut: readonly LeftOut[] }): string[] =>
  leftOut.map(({ kind, what }) => `${kind} ${what}`);

/** A skill of a catalogue that nothing was read for. */
export const skillOf = (
  name: string,
  description = `What ${name} does.`,
  layer: LayerName = "own",
): CatalogueSkill => ({
  name,
  id: `${name}_${layer}`,
  description,
  source: { kind: "layer", layer },
  directory: `skills/${name}`,
  warnings: [],
  provenance: null,
});
