import { describe, expect, it } from "vitest";
import { queryWords, textWords, wordsOf } from "../../../src/workspace/index/words.ts";

describe("the words of a text", () => {
  it.each([
    ["The cats were RUNNING", ["cat", "run"]],
    ["Caroline's dog doesn’t bark", ["carolin", "dog", "bark"]],
    ["café naïve Straße Łódź", ["cafe", "naiv", "strass", "lodz"]],
    ["Ｆｕｌｌ ｗｉｄｔｈ ｶﾅ", ["full", "width", "カナ"]],
    ["on 2026-11-30 at 9:05", ["2026-11-30", "2026", "11", "30", "9:05", "9", "05"]],
    ["memory_search(v2)", ["memori", "search", "v2"]],
    ["我喜欢猫", ["我喜", "喜欢", "欢猫"]],
    ["猫 and iPhone手机", ["猫", "iphon", "手机"]],
    ["コーヒーを飲む", ["コー", "ーヒ", "ヒー", "ーを", "を飲", "飲む"]],
    ["고양이를 좋아해요", ["고양", "양이", "이를", "좋아", "아해", "해요"]],
    ["привет, мир", ["привет", "мир"]],
    ["… !? --", []],
  ])("[M8] %s", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("[M8] keeps stop words, and the last character of a run, for those who ask for nothing else", () => {
    expect(textWords("to be with 黒猫 to be").common).toEqual(["to", "be", "with", "猫"]);
  });

  it("knows a word of any length by its beginning", () => {
    expect(wordsOf("ab1".repeat(100))).toEqual(["ab1".repeat(22).slice(0, 64)]);
  });
});

describe("the words of a query", () => {
  it("[M8] are each asked for once, stop words only when there is nothing else", () => {
    expect(queryWords("the cat and the Cats")).toEqual({ words: ["cat"], beginnings: [] });
    expect(queryWords("to be or not to be").words).toEqual(["to", "be", "or", "not"]);
    expect(queryWords(" ?! … ")).toEqual({ words: [], beginnings: [] });
  });

  it("[M8] with one Chinese character mean all words that begin so", () => {
    expect(queryWords("猫")).toEqual({ words: [], beginnings: ["猫"] });
  });

  it("are bounded", () => {
    const many = Array.from({ length: 500 }, (_, no) => `w${no}`).join(" ");
    expect(queryWords(many).words).toHaveLength(64);
  });
});
