import { expect, it } from "vitest";
import { importsOf, packageOutside } from "../../../support/imports.ts";
import { readSources } from "../../../support/source.ts";

const GIT = "src/skills/repositories/git/";

it("[K2] a deployment whose agents use no Git repository carries nothing of it", () => {
  const product = readSources("src", "durable-objects");
  expect(packageOutside(product, "isomorphic-git", GIT)).toEqual([]);
  const others = product.filter(({ path }) => !path.startsWith(GIT) && path !== "src/agent.ts");
  expect(others.length).toBeGreaterThan(100);
  const importers = others.filter((source) =>
    importsOf(source).some(({ target }) => target?.startsWith(GIT)),
  );
  expect(importers.map(({ path }) => path)).toEqual([]);
});
