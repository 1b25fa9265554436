import { describe, expect, it } from "vitest";
import { Sessions, titleOf } from "../../public/sessions.js";
import type { SessionSummary } from "../../src/shared/registry-api.ts";

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

  const summary = (session: string, updatedAt: number, more: Partial<SessionSummary> = {}) => ({
    session,
    title: `Title of ${session}`,
    createdAt: 0,
    updatedAt,
    isWaiting: false,
    ...more,
  });
  const ids = (sessions: Sessions) => sessions.list().map(({ id }) => id);

  it("is as the server has it, but for what was begun here and is not listed yet", () => {
    const sessions = new Sessions();
    sessions.put("gone", { title: "Gone", at: 4 });
    sessions.put("begun", { title: "Begun", at: 9, isNew: true });
    sessions.put("b", { title: "Old title", at: 1 });
    sessions.take({ sessions: [summary("a", 5), summary("b", 3)], cursor: null }, true);
    expect(sessions.list().map(({ id, title }) => [id, title])).toEqual([
      ["begun", "Begun"],
      ["a", "Title of a"],
      ["b", "Title of b"],
    ]);
    sessions.take({ sessions: [summary("begun", 10)], cursor: null }, true);
    sessions.take({ sessions: [], cursor: null }, true);
    expect(ids(sessions)).toEqual([]);
  });

  it("keeps what is on pages that were not read", () => {
    const sessions = new Sessions();
    for (const [id, at] of [
      ["a", 9],
      ["lost", 8],
      ["b", 7],
      ["c", 3],
      ["d", 1],
    ] as const)
      sessions.put(id, { title: id, at });
    sessions.take({ sessions: [summary("a", 9), summary("b", 7)], cursor: "next" }, true);
    expect(ids(sessions)).toEqual(["a", "b", "c", "d"]);
    expect(sessions.cursor).toBe("next");
    sessions.take({ sessions: [summary("c", 3)], cursor: null }, false);
    expect(ids(sessions)).toEqual(["a", "b", "c"]);
    expect(sessions.cursor).toBeNull();
  });

  it("does not bring back what was deleted here", () => {
    const sessions = new Sessions();
    sessions.put("a", { title: "A", at: 1 });
    sessions.remove("a");
    sessions.take({ sessions: [summary("a", 5)], cursor: null }, true);
    expect(ids(sessions)).toEqual([]);
  });

  it("takes a title and a time from here where the server has none, or an older one", () => {
    const sessions = new Sessions();
    sessions.put("a", { title: "Mine", at: 9 });
    sessions.take(
      { sessions: [summary("a", 5, { title: "", isWaiting: true })], cursor: null },
      true,
    );
    expect(sessions.list()).toEqual([{ id: "a", title: "Mine", at: 9, isWaiting: true }]);
  });
});
