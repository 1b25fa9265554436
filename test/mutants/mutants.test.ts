import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/source.ts";
import { plant } from "./mutant.ts";
import { mutants } from "./mutants.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("a planted defect", () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    "has its place in the code, alone, and a test that is there: %s",
    (_name, mutant) => {
      expect(plant(mutant, read(mutant.file))).not.toBe(read(mutant.file));
      expect(mutant.test).not.toBe("");
      // Names of tests with figures in them are made up of parts.
      const isGenerated = /^test\/simulation\/|crash-sweep/.test(mutant.in);
      expect(isGenerated || read(mutant.in).includes(mutant.test)).toBe(true);
    },
  );

  it("there are enough of", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(25);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
