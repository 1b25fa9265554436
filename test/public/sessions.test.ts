import { describe, expect, it } from "vitest";
import { Sessions, titleOf } from "../../public/sessions.js";

describe("a conversation's title", () => {
  it.each([
    ["Hello", "Hello"],
    ["  \n First line \nsecond", "First line"],
    ["", "Picture"],
    [`${"word ".repeat(30)}`, `${"word ".repeat(12).trim()}…`],
    ["x".repeat(80), `${"x".repeat(60)}…`],
  ])("is the first line of its first message, cut between words: %j", (message, title) => {
    expect(titleOf(message)).toBe(title);
  });
});

describe("the list of conversations", () => {
  it("lasts as long as the page where the browser keeps nothing", () => {
    const sessions = new Sessions();
    sessions.put("a", { title: "A", at: 1 });
    sessions.put("b", { title: "B", at: 2 });
    sessions.put("a", { title: "A again" });
    expect(sessions.list().map(({ id, title }) => [id, title])).toEqual([
      ["b", "B"],
      ["a", "A again"],
    ]);
    sessions.remove("b");
    expect(sessions.find("b")).toBeNull();
  });
});
