import { describe, expect, it } from "vitest";
import type { GrepAnswer } from "../../src/shared/workspace-api.ts";
import { joinGreps } from "../../src/workspace/workspace-joins.ts";
import { seededRandom } from "../support/random.ts";

/** A bucket with hits in these files, that answers as many as it has room for. */
type Bucket = Readonly<Record<string, number>>;

const hit = (path: string, line: number) => ({ path, line, text: "x", before: [], after: [] });

function ask(files: Bucket, from: string, limit: number, most: number): GrepAnswer {
  const hits: ReturnType<typeof hit>[] = [];
  const answer = (cut: GrepAnswer["cut"], next: string | null, searched: number) => ({
    hits,
    searched,
    skipped: 0,
    longLines: 0,
    cut,
    next,
  });
  let searched = 0;
  let last = from;
  for (const path of Object.keys(files).toSorted()) {
    if (path <= from) continue;
    if (searched === most) return answer("bytes", last, searched);
    for (let line = 1; line <= (files[path] ?? 0); line += 1) {
      if (hits.length === limit) return answer("hits", null, searched);
      hits.push(hit(path, line));
    }
    searched += 1;
    last = path;
  }
  return answer(null, null, searched);
}

const shown = ({ hits }: GrepAnswer) => hits.map(({ path, line }) => `${path}:${line}`);

describe("hits of two buckets", () => {
  const answer = (over: Partial<GrepAnswer>): GrepAnswer => ({
    hits: [],
    searched: 0,
    skipped: 0,
    longLines: 0,
    cut: null,
    next: null,
    ...over,
  });

  it("[W8] go on where the first bucket stopped, though the other one was full further on", () => {
    const joined = joinGreps(
      [
        answer({ hits: [hit("b", 1)], cut: "bytes", next: "c" }),
        answer({ hits: [hit("plans/a", 1), hit("plans/b", 1)], cut: "hits" }),
      ],
      2,
    );
    expect(joined).toMatchObject({ cut: "bytes", next: "c" });
    expect(shown(joined)).toEqual(["b:1"]);
  });

  it("[W8] end where a full bucket ends, so that none of it is passed over", () => {
    const joined = joinGreps(
      [
        answer({ hits: [hit("a", 1), hit("a", 2)], cut: "hits" }),
        answer({ hits: [hit("agents/x", 1)] }),
      ],
      200,
    );
    expect(joined).toMatchObject({ cut: "hits", next: null });
    expect(shown(joined)).toEqual(["a:1", "a:2"]);
  });

  it("[W8] all come, whatever each answer holds, to one who goes on as the answer says", () => {
    const random = seededRandom(5);
    for (let run = 0; run < 2_000; run += 1) {
      const files = (prefix: string): Bucket =>
        Object.fromEntries(
          Array.from({ length: Math.floor(random() * 6) }, () => [
            `${prefix}${"abcdefg"[Math.floor(random() * 7)]}`,
            Math.floor(random() * 3),
          ]),
        );
      const buckets = [files(""), files("b/")] as const;
      const limit = 3 + Math.floor(random() * 4);
      const most = 1 + Math.floor(random() * 3);
      const all = buckets.flatMap((bucket) => shown(ask(bucket, "", 1_000, 1_000))).toSorted();
      const found = new Set<string>();
      let from = "";
      for (let calls = 0; ; calls += 1) {
        expect(calls).toBeLessThan(60);
        const [one, two] = buckets.map((bucket) => ask(bucket, from, limit, most));
        const joined = joinGreps([one ?? answer({}), two ?? answer({})], limit);
        for (const it of shown(joined)) found.add(it);
        if (joined.cut === null) break;
        from = joined.next ?? wholeOf(joined);
      }
      expect([...found].toSorted()).toEqual(all);
    }
  });
});

/** As the tool goes on from an answer that is full: after the last file of which all hits are surely known. */
function wholeOf({ hits }: GrepAnswer): string {
  const last = hits.at(-1)?.path;
  const whole = hits.findLast(({ path }) => path !== last)?.path;
  if (whole === undefined) throw new Error("all hits are of one file");
  return whole;
}
