import type { CatalogueSkill, LeftOut } from "./catalogue.ts";

/** A skill that would be in the catalogue, were there no other of its name. */
export type Candidate = {
  readonly skill: CatalogueSkill;
  /** Of its layer or repository; the lowest wins. */
  readonly rank: number;
  /** In one layer: whether it lies in the directory that counts less. */
  readonly isAside: boolean;
  /** Why it must not show, whoever asks; `null`: it may. It hides others of its name all the same. */
  readonly hidden: string | null;
};

export type Candidates = {
  readonly found: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
};
