import { expect, it } from "vitest";
import { type Source, parseSource } from "./source.ts";

type Check = (sources: readonly Source[]) => readonly string[];
/** One or more files, each written `path: code`, or `code` alone for `src/turn/a.ts`. */
type Fixture = string | readonly string[];

const parseFixture = (fixture: Fixture): Source[] =>
  [fixture].flat().map((text) => {
    const [, path = "src/turn/a.ts", code = text] = /^([\w./-]+\.ts): (.*)$/s.exec(text) ?? [];
    return parseSource(path, code);
  });

/** The rule holds in `sources`; and it is a rule: it finds each of `caught` and leaves each of `fine` alone. */
export function rule(
  sources: readonly Source[],
  check: Check,
  caught: Fixture[],
  fine: Fixture[],
): void {
  it("holds", () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(check(sources)).toEqual([]);
  });
  it.each(caught)("notices %j", (fixture) => {
    expect(check(parseFixture(fixture))).toHaveLength(1);
  });
  it.each(fine)("allows %j", (fixture) => {
    expect(check(parseFixture(fixture))).toEqual([]);
  });
}
