import type { SkillProvenance, Trust } from "../../shared/skill-facts.ts";
import type { LayerName } from "../../shared/workspace-files.ts";

/** Where a skill is from: a layer of the workspace, or a repository by its label. */
export type SkillSource =
  | { readonly kind: "layer"; readonly layer: LayerName }
  | { readonly kind: "repository"; readonly label: string; readonly trust: Trust };

/** A skill that is there for one caller. */
export type CatalogueSkill = {
  readonly name: string;
  /** `<name>_<source>`: the source is `own`, `shared`, `template` or a repository's label. */
  readonly id: string;
  readonly description: string;
  readonly source: SkillSource;
  /** In the caller's workspace. */
  readonly directory: string;
  readonly warnings: readonly string[];
  /** Of an own skill that was promoted; `null`: a person made it, or it is of another layer. */
  readonly provenance: SkillProvenance | null;
};

/** A directory or repository that is left out, or a skill that another one hides, and why. */
export type LeftOut = {
  readonly what: string;
  readonly name: string | null;
  readonly kind: "bad" | "hidden" | "filtered" | "quarantined" | "unreachable" | "pending";
  readonly why: string;
};

/** What a caller's agent can load now: each name once, sorted by name. The same object for the same snapshot. */
export type Catalogue = {
  readonly skills: readonly CatalogueSkill[];
  readonly leftOut: readonly LeftOut[];
};
