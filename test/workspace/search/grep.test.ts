import { describe, expect, it } from "vitest";
import { utf8Length } from "../../../src/shared/text.ts";
import type { GrepAnswer, GrepRequest } from "../../../src/shared/workspace-api.ts";
import { grepFiles } from "../../../src/workspace/search/grep.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { type ReadableBucket, readableBucket, sharedBy } from "../../support/readable-bucket.ts";

type Layers = ReturnType<typeof layersOver>;

/** Counts the turns; time stands still. */
function turns(whenResting: () => void = () => {}) {
  const taken = { count: 0 };
  const rest = (): Promise<void> => {
    taken.count += 1;
    whenResting();
    return Promise.resolve();
  };
  return { yield: rest, now: () => 0, taken };
}

const grep = (
  bucket: ReadableBucket,
  request: GrepRequest,
  layers: Layers = layersOver(bucket),
  pace = turns(),
): Promise<GrepAnswer> => grepFiles(layers, bucket.contents, request, pace);

const lines = ({ hits }: GrepAnswer): string[] =>
  hits.map(({ path, line, text }) => `${path}:${line}:${text}`);

const poems = {
  "poems/tea.md": "Tea is hot\r\nno\r\ntea is calm",
  "poems/cold/ice.md": "iced tea\n",
  "notes.txt": "no drinks\nTEA\n",
};

describe("a grep", () => {
  it.each<[string, Omit<GrepRequest, "pattern">, string[]]>([
    ["tea", {}, ["poems/cold/ice.md:1:iced tea", "poems/tea.md:3:tea is calm"]],
    [
      "tea",
      { caseSensitive: false },
      [
        "notes.txt:2:TEA",
        "poems/cold/ice.md:1:iced tea",
        "poems/tea.md:1:Tea is hot",
        "poems/tea.md:3:tea is calm",
      ],
    ],
    ["^[tT]ea", { regex: true }, ["poems/tea.md:1:Tea is hot", "poems/tea.md:3:tea is calm"]],
    ["tea", { path: "poems/tea.md" }, ["poems/tea.md:3:tea is calm"]],
    ["tea", { path: "poems/cold/" }, ["poems/cold/ice.md:1:iced tea"]],
    ["tea", { path: "poems", glob: "/*.md" }, ["poems/tea.md:3:tea is calm"]],
    ["tea", { path: "poems/tea.md", glob: "*.txt" }, []],
    ["TEA", { glob: "*.txt" }, ["notes.txt:2:TEA"]],
    ["no", { within: ["notes.txt"] }, ["notes.txt:1:no drinks"]],
    ["tea", { from: "poems/cold/ice.md" }, ["poems/tea.md:3:tea is calm"]],
    ["coffee", {}, []],
  ])("[W8] for %s with %j", async (pattern, options, expected) => {
    const answer = await grep(readableBucket(poems), { pattern, ...options });
    expect(lines(answer)).toEqual(expected);
    expect(answer).toMatchObject({ cut: null, next: null, skipped: 0 });
  });

  it("[W1] is the same from every spelling of the root", async () => {
    for (const path of ["", ".", "/", "./"])
      expect(lines(await grep(readableBucket(poems), { pattern: "tea", path }))).toHaveLength(2);
  });

  it("shows the lines around a hit", async () => {
    const bucket = readableBucket({ "a.md": "1\n2\n3 x\n4 x\n5\n" });
    const { hits } = await grep(bucket, { pattern: "x", context: 2 });
    expect(hits).toEqual([
      { path: "a.md", line: 3, text: "3 x", before: ["1", "2"], after: ["4 x", "5"] },
      { path: "a.md", line: 4, text: "4 x", before: ["2", "3 x"], after: ["5"] },
    ]);
  });

  it("[W4] searches what shows and nothing that is hidden", async () => {
    const own = readableBucket({ "AGENTS.md": "mine", "MEMORY.md": "" });
    own.hide("knowledge/b.md");
    const shared = readableBucket({
      "AGENTS.md": "tea",
      "knowledge/s.md": "tea",
      "MEMORY.md": "tea",
    });
    const files = { "AGENTS.md": "tea", "knowledge/b.md": "tea", "knowledge/c.md": "tea" };
    const layers = layersOver(own, { shared: sharedBy(shared), template: templateOf(files) });
    const answer = await grep(own, { pattern: "tea" }, layers);
    expect(lines(answer)).toEqual(["knowledge/c.md:1:tea", "knowledge/s.md:1:tea"]);
    expect(answer.searched).toBe(4);
  });

  it("counts blobs and fetches none", async () => {
    const bucket = readableBucket({ "a.md": "tea" });
    bucket.write("b.png", new TextEncoder().encode("tea"));
    const answer = await grep(bucket, { pattern: "tea" });
    expect(answer).toMatchObject({ searched: 1, skipped: 1, cut: null });
    expect(bucket.fetched).toEqual([]);
    expect(await grep(bucket, { pattern: "tea", path: "b.png" })).toMatchObject({ skipped: 1 });
  });

  it("[W12] over a text that is missing is an error", async () => {
    const bucket = readableBucket({ "a.md": "tea" });
    bucket.lose("a.md");
    await expect(grep(bucket, { pattern: "tea" })).rejects.toThrow("missing");
  });

  it("searches logs in parts, with lines around hits across them", async () => {
    const bucket = readableBucket();
    const path = "agents/main/sessions/s.log.jsonl";
    const entry = (no: number) => `{"no":${no},"text":"${"x".repeat(90)}"}\n`;
    const text = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, no) => entry(from + no)).join("");
    bucket.writeLog(path, text(0, 25_000), text(25_000, 30_000));
    const { hits, searched } = await grep(bucket, { pattern: '99,"', context: 1, limit: 1_000 });
    expect(hits.map(({ line }) => line)).toEqual(
      Array.from({ length: 300 }, (_, no) => no * 100 + 100),
    );
    expect(hits.map(({ before, after }) => [...before, ...after].length)).toEqual(
      Array.from({ length: 300 }, (_, no) => (no === 299 ? 1 : 2)),
    );
    expect(searched).toBe(1);
    expect(bucket.fetched.length).toBeGreaterThan(2);
    const all = await grep(bucket, { pattern: "no", limit: 1_000 });
    expect(all.hits.map(({ line }) => line)).toEqual(
      Array.from({ length: all.hits.length }, (_, no) => no + 1),
    );
  });

  it("refuses what does not exist and bad numbers", async () => {
    const refusal = (options: Partial<GrepRequest>) =>
      grep(readableBucket(poems), { pattern: "tea", ...options }).catch((error) => error.code);
    expect(await refusal({ path: "poem" })).toBe("not_found");
    expect(await refusal({ path: "../poems" })).toBe("invalid");
    expect(await refusal({ context: 11 })).toBe("invalid");
    expect(await refusal({ limit: 1_001 })).toBe("invalid");
    expect(await refusal({ glob: "{" })).toBe("invalid");
    expect(await refusal({ pattern: "(", regex: true })).toBe("invalid");
  });
});

describe("the bounds of a grep", () => {
  it("[W8] are hits, and it says when there are more", async () => {
    const bucket = readableBucket({ "a.md": "x\n".repeat(5), "b.md": "x\n" });
    expect(await grep(bucket, { pattern: "x", limit: 6 })).toMatchObject({ cut: null });
    const cut = await grep(bucket, { pattern: "x", limit: 5 });
    expect(cut).toMatchObject({ cut: "hits", next: null, searched: 1 });
    expect(cut.hits).toHaveLength(5);
    expect(await grep(bucket, { pattern: "x", limit: 1 })).toMatchObject({ searched: 0 });
  });

  it("[W8] are the bytes of the answer, with lines cut around the hit", async () => {
    const long = `${"é".repeat(5_000)}tea${"é".repeat(5_000)}\n`;
    const bucket = readableBucket({ "a.md": long.repeat(50) });
    const answer = await grep(bucket, { pattern: "tea", context: 10, limit: 1_000 });
    expect(answer.cut).toBe("hits");
    expect(answer.hits.length).toBeGreaterThan(5);
    expect(utf8Length(JSON.stringify(answer.hits))).toBeLessThan(210 * 1024);
    for (const { text } of answer.hits) expect(text).toMatch(/^…é{100}teaé+…$/);
  });

  it("[W8] are the bytes of the text, and it goes on where it stopped", async () => {
    const text = `${"filler\n".repeat(140_000)}tea\n`;
    const files = Array.from({ length: 60 }, (_, no) => [
      `${String(no).padStart(2, "0")}.md`,
      text,
    ]);
    const bucket = readableBucket(Object.fromEntries(files));
    const found: string[] = [];
    const cuts: (string | null)[] = [];
    for (let from: string | null = ""; from !== null;) {
      const answer: GrepAnswer = await grep(bucket, { pattern: "tea", from });
      found.push(...answer.hits.map(({ path }) => path));
      expect(answer.searched * utf8Length(text)).toBeLessThanOrEqual(24 * 1024 * 1024);
      cuts.push(answer.cut);
      from = answer.next;
    }
    expect(found).toEqual(files.map(([path]) => path));
    expect(cuts).toEqual(["bytes", "bytes", null]);
  });

  it("a file that is larger than all of them is searched in a call of its own", async () => {
    const bucket = readableBucket({ "a.md": "tea", "c.md": "tea" });
    bucket.writeLog("b.log.jsonl", "tea\n".padEnd(25 * 1024 * 1024, "filler fill\n"), "");
    const paths = async (from: string) => {
      const answer = await grep(bucket, { pattern: "tea", from });
      return [answer.hits.map(({ path }) => path), answer.cut, answer.next];
    };
    expect(await paths("")).toEqual([["a.md"], "bytes", "a.md"]);
    expect(await paths("a.md")).toEqual([["b.log.jsonl"], "bytes", "b.log.jsonl"]);
    expect(await paths("b.log.jsonl")).toEqual([["c.md"], null, null]);
  });

  it("are time: it goes on in another call, and gives up when that does not help", async () => {
    const text = "filler\n".repeat(100_000);
    const bucket = readableBucket({ "a.md": text, "b.md": text, "c.md": text });
    const slowAtFirst = (times: number) => {
      let now = 0;
      const pace = turns(() => (now += pace.taken.count <= times ? 3_000 : 0));
      return { ...pace, now: () => now };
    };
    const request = { pattern: "z", regex: true };
    const search = (times: number) =>
      grepFiles(layersOver(bucket), bucket.contents, request, slowAtFirst(times));
    expect(await search(1)).toMatchObject({ cut: null, next: null, searched: 3 });
    expect(await search(2)).toMatchObject({ cut: "bytes", next: "a.md", searched: 1 });
    await expect(search(9)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("takes too long"),
    });
  });
});

describe("the turns of a grep", () => {
  it("are at most 512 KB long, for an expression 64 KB, and shorter when they take longer than 8 ms", async () => {
    const text = "filler\n".repeat(2 * 1024 * 15);
    const files = Array.from({ length: 50 }, (_, no) => [`${no}.md`, text]);
    const bucket = readableBucket(Object.fromEntries(files));
    const count = async (ms: number, regex: boolean) => {
      let now = 0;
      const pace = turns(() => (now += ms));
      const request = { pattern: "z", regex };
      await grepFiles(layersOver(bucket), bucket.contents, request, { ...pace, now: () => now });
      return pace.taken.count;
    };
    const total = 50 * text.length;
    for (const [regex, most] of [
      [false, 512],
      [true, 64],
    ] as const) {
      expect(await count(1, regex)).toBeGreaterThanOrEqual(
        Math.floor(total / (most * 1024 + text.length)),
      );
      expect(await count(1, regex)).toBeLessThan(total / (0.75 * most * 1024) + 3);
    }
    expect(await count(9, true)).toBeGreaterThan(total / (20 * 1024));
  });

  it("[W3] let others write, and files that come after are searched as they are then", async () => {
    const files = Array.from({ length: 9 }, (_, no) => [`${no}.md`, "filler\n".repeat(90_000)]);
    const bucket = readableBucket(Object.fromEntries(files));
    const pace = turns(() => {
      if (pace.taken.count > 1) return;
      bucket.write("5.md", "tea");
      bucket.remove("6.md");
      bucket.write("99.md", "tea");
      bucket.write("0.a.md", "tea");
    });
    const answer = await grep(bucket, { pattern: "tea" }, layersOver(bucket), pace);
    expect(lines(answer)).toEqual(["5.md:1:tea", "99.md:1:tea"]);
    expect(answer.searched).toBe(9);
  });
});
