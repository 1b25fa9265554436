import { describe, expect, it } from "vitest";
import { DAY_MS, LOG, SearchLab } from "./search-lab.ts";

const ledger = (...entries: readonly string[]) => entries.map((entry) => `- ${entry}\n`).join("");

describe("a search", () => {
  it("[M8] finds words in another order and with other endings", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", ledger("Ann adopted two kittens in Lisbon", "Ann drinks tea"));
    expect(await lab.texts("Lisbon adoption of a kitten")).toEqual([
      "Ann adopted two kittens in Lisbon",
    ]);
  });

  it.each([
    ["Chinese", "她住在上海，喜欢喝绿茶", "绿茶", "上海 喜欢"],
    ["Japanese", "東京タワーの近くに住んでいます", "東京", "タワー 住ん"],
    ["Korean", "고양이를 두 마리 키워요", "고양이", "키워요 고양이"],
  ])("[M8] finds %s", async (_, text, ...queries) => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", ledger(text, "something else"));
    for (const query of [...queries, text.slice(2, 3)])
      expect((await lab.texts(query))[0]).toBe(text);
  });

  it("[M8] for nothing but signs finds nothing; for stop words alone, those", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", ledger("to be or not to be", "tea"));
    for (const blank of ["", "  \n", "?!…"]) expect(await lab.texts(blank)).toEqual([]);
    expect(await lab.texts("to be")).toEqual(["to be or not to be"]);
  });

  it("[M8] puts what was put away below what is at hand, and gives days", async () => {
    const lab = new SearchLab();
    await lab.write("memory/archive/2026-01-01.md", ledger("the harbour is closed"));
    await lab.write("memory/2026-02-01.md", ledger("the harbour is closed"));
    const { hits } = await lab.find("harbour closed");
    expect(hits.map(({ source, at }) => [source, at])).toEqual([
      ["ledger", Date.parse("2026-02-01")],
      ["archive", Date.parse("2026-01-01")],
    ]);
  });

  it("[M8] orders by age only what is equal otherwise", async () => {
    const lab = new SearchLab();
    for (const day of ["2026-02-02", "2026-02-04", "2026-02-03"])
      await lab.write(`memory/${day}.md`, ledger("we met at the harbour"));
    await lab.write("memory/2026-02-01.md", ledger("harbour, harbour: we met at the harbour"));
    const { hits } = await lab.find("harbour met");
    const days = hits.map(({ at }) => ((at ?? 0) - Date.parse("2026-01-31")) / DAY_MS);
    expect(days).toEqual([1, 4, 3, 2]);
  });

  it("[M8] is not drowned by session logs: they have half of the places, more where the rest has no hits", async () => {
    const lab = new SearchLab();
    await lab.say(LOG, ...Array.from({ length: 30 }, () => "the harbour bridge is closed"));
    const entries = Array.from({ length: 8 }, (_, no) => `${no}: a harbour`);
    await lab.write("MEMORY.md", ledger(...entries));
    const sources = async (limit: number) =>
      (await lab.find("harbour bridge closed", { limit })).hits.map(({ source }) => source);
    const count = (found: string[]) => found.filter((source) => source === "session").length;
    expect(count(await sources(10))).toBe(5);
    expect(count(await sources(20))).toBe(12);
    expect(await sources(1)).toEqual(["memory"]);
    expect(await lab.find("harbour", { sources: ["session"] })).toMatchObject({
      hits: Array.from({ length: 10 }, () => ({ source: "session" })),
    });
  });

  it("[M8] keeps its limit and refuses others", async () => {
    const lab = new SearchLab();
    await lab.write("MEMORY.md", ledger(...Array.from({ length: 150 }, (_, no) => `tea ${no}`)));
    for (const limit of [1, 10, 100]) expect(await lab.texts("tea", { limit })).toHaveLength(limit);
    expect(await lab.texts("tea")).toHaveLength(10);
    for (const limit of [0, 101, 1.5])
      await expect(lab.find("tea", { limit })).rejects.toMatchObject({ code: "invalid" });
  });

  it("[M8] is only in the sources and below the path that are asked for", async () => {
    const lab = new SearchLab({}, { "knowledge/tea/green.md": "tea" });
    await lab.write("MEMORY.md", ledger("tea"));
    await lab.write("memory/2026-02-02.md", ledger("tea"));
    const paths = async (request: object) => (await lab.places("tea", request)).toSorted();
    expect(await paths({ sources: ["ledger"] })).toEqual(["memory/2026-02-02.md#1"]);
    expect(await paths({ path: "knowledge" })).toEqual(["knowledge/tea/green.md#1"]);
    expect(await paths({ path: "/memory/2026-02-02.md" })).toEqual(["memory/2026-02-02.md#1"]);
    expect(await paths({ path: "agents/main/sessions" })).toEqual([]);
    expect(await paths({ within: { not: ["memory", "knowledge"] } })).toEqual(["MEMORY.md#1"]);
  });

  it("[M8] gives places that open what they say", async () => {
    const lab = new SearchLab(
      {},
      { "knowledge/long.md": `# Long\n\n${"filler\n".repeat(300)}a unicorn\n` },
    );
    await lab.write("MEMORY.md", `# Memory\n\n- one\n- a unicorn\n  of two lines\n`);
    await lab.say(LOG, "hello", "a unicorn");
    const found = await lab.find("unicorn");
    const hits = found.hits.filter(({ snippet }) => snippet.includes("unicorn"));
    expect(hits.map(({ source }) => source).toSorted()).toEqual(["knowledge", "memory", "session"]);
    for (const { path, line, endLine } of hits) {
      const limit = endLine - line + 1;
      const { lines } = await lab.workspace().page({ path, offset: line - 1, limit });
      expect(lines?.join("\n")).toContain("a unicorn");
    }
  });

  it("[M8] tells of a message who said it, in which session and turn", async () => {
    const lab = new SearchLab();
    await lab.say(LOG, "hello", "the harbour is closed");
    const said = { role: "user", session: "s1", turn: "t1" };
    expect((await lab.find("harbour closed")).hits[0]).toMatchObject({ said, at: 1, line: 2 });
  });

  it("[M8] shows at most 400 characters about the words, and never a mark", async () => {
    const lab = new SearchLab();
    const mark = `<!-- carrel: {"session":"main/harbour","turn":"t"} -->`;
    const filler = "Nothing of note happened then. ".repeat(16);
    await lab.write("MEMORY.md", `- ${filler}The unicorn came. ${filler} ${mark}\n- tea ${mark}\n`);
    const [snippet = ""] = await lab.texts("unicorn");
    expect(snippet).toContain("The unicorn came.");
    expect(snippet.length).toBeLessThanOrEqual(400);
    expect(snippet).toMatch(/^….*…$/);
    expect(await lab.texts("carrel session harbour turn")).toEqual([]);
    expect(await lab.texts("tea")).toEqual(["tea"]);
  });

  it("[M8, W7] is in the knowledge that shows: not what is hidden, blank where it is blank", async () => {
    const lab = new SearchLab({}, { "knowledge/a.md": "tea a", "knowledge/b.md": "tea b" });
    expect((await lab.texts("tea")).toSorted()).toEqual(["tea a", "tea b"]);
    await lab.remove("knowledge/a.md");
    expect(await lab.texts("tea")).toEqual(["tea b"]);
    await lab.write("knowledge/b.md", "");
    expect(await lab.texts("tea")).toEqual([]);
    await lab.change({ kind: "reset", path: "" });
    expect((await lab.texts("tea")).toSorted()).toEqual(["tea a", "tea b"]);
  });

  it("[M8] joins buckets by the same rule", async () => {
    const lab = new SearchLab();
    const workspace = lab.workspace({}, "SESSION");
    const write = {
      kind: "write",
      path: "MEMORY.md",
      content: { text: ledger("tea one", "tea two", "tea three") },
    } as const;
    await workspace.change({ by: "user:ann", changes: [write] });
    await lab.say(LOG, ...Array.from({ length: 9 }, () => "tea tea tea"));
    const { hits } = await workspace.search({ query: "tea", limit: 4 });
    expect(hits.filter(({ source }) => source === "session")).toHaveLength(2);
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).toSorted((a, b) => b - a),
    );
  });
});
