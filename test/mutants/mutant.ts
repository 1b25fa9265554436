/** A defect that someone could plant in the code that keeps promises, and the test that must notice. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The name of the test, without that of its `describe`, and the file that it is in. */
  readonly test: string;
  readonly in: string;
  /** Default `node`. */
  readonly project?: "node" | "seeds" | "worker";
};

/** The source with the defect in it. Throws when the place is not there, or not alone. */
export function plant({ name, find, replace }: Mutant, source: string): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`${name}: its place stands ${parts.length - 1} times in the file`);
  return parts.join(replace);
}
