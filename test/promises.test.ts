import { describe, expect, it } from "vitest";
import { brokenPromises, readClaims, readPromises } from "./support/promises.ts";
import { parseSource, readSources, readText } from "./support/source.ts";

describe("promises", () => {
  it("each has a test, and each test keeps a promise that was made", () => {
    const promises = readPromises(readText("test/promises.md"));
    expect(promises.length).toBeGreaterThan(90);
    expect(brokenPromises(promises, readClaims(readSources("test")))).toEqual([]);
  });

  it("are read with their numbers and what is still to come", () => {
    const markdown =
      "# Promises\n\n## T: turns\n- T1 A [T9] (not: b).\n- W12 C. (to come: issue 3)\n- not one\n* T2 no\n";
    expect(readPromises(markdown)).toEqual([
      { number: "T1", toCome: false },
      { number: "W12", toCome: true },
    ]);
  });

  it.each([
    [`it("[T1] a", f)`, ["T1"]],
    [`it.each(rows)("[T1, S2] a [I5]", f)`, ["T1", "S2", "I5"]],
    ["test(`[T1] ${name}`, f)", ["T1"]],
    [`describe("[T1] a", () => { it("b [T2]", f); })`, ["T1", "T2"]],
    [`note("[T1] a"); const name = "[T1]"; it("T1 [t1] [a]", f); // it("[T1]", f)`, []],
  ])("are claimed by the names of tests: %s", (code, numbers) => {
    expect(readClaims([parseSource("test/a.test.ts", code)]).map(({ number }) => number)).toEqual(
      numbers,
    );
  });

  it("are broken without a test, twice, or when nobody made them", () => {
    const promises = readPromises(
      "- T1 a\n- T2 b (to come: later)\n- T3 c (to come: later)\n- T4 d\n- T4 e\n",
    );
    const claims = readClaims([
      parseSource("test/a.test.ts", `it("[T3] c", f);\nit("[T4] d", f);\nit("[T5] f", f);`),
    ]);
    expect(brokenPromises(promises, claims)).toEqual([
      "T1 has no test",
      "T4 is promised twice",
      "test/a.test.ts:3 proves T5, which is not promised",
    ]);
  });
});
