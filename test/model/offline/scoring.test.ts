import { describe, expect, it } from "vitest";
import { rank, stem, termsOf } from "../../../src/model/offline/scoring.ts";

describe("stem", () => {
  it.each([
    ["store", "stores", "stored", "storing"],
    ["survive", "survives", "survived", "surviving"],
    ["stop", "stops", "stopped", "stopping"],
    ["model", "models"],
    ["deploy", "deploys", "deployed", "deployment", "deployments"],
    ["configure", "configured", "configuration"],
    ["memory", "memories"],
    ["address", "addresses"],
    ["class", "classes"],
    ["isolate", "isolated", "isolation"],
    ["key", "keys"],
  ])("gives one stem to %s, %s and the like", (...words) => {
    expect(new Set(words.map(stem)).size).toBe(1);
  });

  it.each([
    ["turn", "turtle"],
    ["crash", "crush"],
    ["model", "mode"],
  ])("keeps %s and %s apart", (a, b) => {
    expect(stem(a)).not.toBe(stem(b));
  });
});

describe("termsOf", () => {
  it("leaves out what says nothing", () => {
    expect(termsOf("What happens when I close the tab?")).toEqual(["clos", "tab"]);
    expect(termsOf("how do you do")).toEqual([]);
  });

  it("reads Chinese, Japanese and Korean as pairs of characters", () => {
    expect(termsOf("知识文件")).toEqual(["知识", "识文", "文件"]);
    expect(termsOf("本")).toEqual(["本"]);
    expect(termsOf("한국어")).toEqual(["한국", "국어"]);
  });
});

describe("rank", () => {
  const item = (text: string, hints = "") => ({ text, hints });
  const cats = item("Cats sleep all day.");
  const dogs = item("Dogs bark at cats, and cats run from dogs.");
  const fish = item("Fish swim.", "Cats");

  it("puts first what answers most, with how much of the question it covers", () => {
    const ranked = rank("do dogs bark?", [cats, dogs, fish]);
    expect(ranked).toHaveLength(1);
    expect(ranked[0]).toMatchObject({ item: dogs, coverage: 1 });
    expect(rank("sleeping dogs", [cats, dogs])[0]?.coverage).toBeCloseTo(0.5);
  });

  it("counts headings less than text", () => {
    expect(rank("cats", [fish, cats]).map((entry) => entry.item)).toEqual([cats, fish]);
  });

  it("finds nothing in nothing", () => {
    expect(rank("cats", [])).toEqual([]);
    expect(rank("", [cats])).toEqual([]);
    expect(rank("zebra", [cats])).toEqual([]);
  });
});
