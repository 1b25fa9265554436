import { describe, expect, it } from "vitest";
import { neutraliser } from "../../src/context/tags.ts";

const neutralise = neutraliser(["plan_mode", "soul_md"]);

/** What shows as nothing: controls, format characters, fillers, joiners, variation selectors, tags, blanks. */
const UNSEEN = [
  "\0",
  "\u0001",
  "\b",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "\u034f",
  "\u061c",
  "\u115f",
  "\u1160",
  "\u17b4",
  "\u180b",
  "\u180e",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2028",
  "\u2060",
  "\u2065",
  "\u2800",
  "\u3000",
  "\u3164",
  "\ufe0f",
  "\ufeff",
  "\uffa0",
  "\ufff0",
  "\ufff9",
  "\u{1bca0}",
  "\u{1d173}",
  "\u{e0001}",
  "\u{e0061}",
  "\u{e0100}",
];

describe("neutraliser", () => {
  it.each(UNSEEN.map((char) => [`U+${char.codePointAt(0)?.toString(16)}`, char]))(
    "[C5] sees through %s wherever it stands in a tag",
    (_, char) => {
      for (const text of [
        `<${char}/loaded_context>`,
        `</${char}loaded_context>`,
        `<${char}${char}/${char}${char}soul_md>`,
        `</loaded${char}_context>`,
        `<${Array.from("attached_file").join(char)} path="x">`,
        `</plan_mod${char}${char}e>`,
      ]) {
        const after = neutralise(text);
        expect(after).toBe(text.replace("<", "&lt;"));
        expect(neutralise(after)).toBe(after);
      }
    },
  );

  it("[C5] leaves what shows as something else alone", () => {
    for (const text of [
      "<loaded.context>",
      "</load-ed_context>",
      "<s.kill>",
      "<\u200bdiv>",
      "<\0>",
    ])
      expect(neutralise(text)).toBe(text);
  });

  it.each<[string, string]>([
    ["brackets", "<".repeat(1_000_000)],
    ["ignorable characters after one bracket", `<${"\u200b".repeat(1_000_000)}`],
    ["brackets with ignorable characters", "<\u200b\u3164\u0001/".repeat(200_000)],
    ["half a name again and again", `<${"l\u034fo\u034f".repeat(200_000)}`],
    ["a name that stretches", `<${Array.from("loaded_contex").join("\u2800".repeat(80_000))}`],
    ["names that almost are", "<loaded_contex\u200b".repeat(60_000)],
  ])("takes a megabyte of %s in its stride", (_, text) => {
    const before = process.cpuUsage();
    expect(neutralise(text)).toBe(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });
});
