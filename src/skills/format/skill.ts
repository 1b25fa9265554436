/** A skill as its SKILL.md describes it, whatever it is like: read leniently. */
export type SkillHeader = {
  /** What it is called everywhere: of its front matter if that can be used, else its directory's. At most 128 characters, on one line. */
  readonly name: string;
  /** What it does and when to use it: as it is written there, in full. Never blank. */
  readonly description: string;
  /** Every key of the front matter but these two, as the YAML has it: plain values, lists and objects without prototypes. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What is not as the Agent Skills rules want it, in words; it is loaded all the same. */
  readonly warnings: readonly string[];
};

/** `why`: it cannot be used at all, in words. */
export type ParsedSkill =
  | { readonly kind: "skill"; readonly header: SkillHeader; readonly body: string }
  | { readonly kind: "bad"; readonly why: string };
