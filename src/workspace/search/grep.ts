import { cutAt, splitLines, utf8Length } from "../../shared/text.ts";
import type { GrepAnswer, GrepHit, GrepRequest } from "../../shared/workspace-api.ts";
import type { Contents } from "../contents/contents.ts";
import { liesWithin, numberIn } from "../read/file-info.ts";
import { relativeTo } from "./glob-files.ts";
import { compileGlob } from "./glob.ts";
import { excerpt } from "./grep-excerpt.ts";
import { createMatcher, type GrepMatcher } from "./grep-matcher.ts";
import { Pace, type GrepTurns } from "./grep-pace.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import { nameOf, workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { missing, readShown } from "../read/read.ts";

type Entry = OverlayEntry<LayerFile>;

/** Text of one call, in bytes. A single file that is larger, a log, is searched in a call of its own. */
const SEARCHED_BYTES = 24 * 1024 * 1024;

/** Hits of one call with the lines around them, in bytes. */
const ANSWER_BYTES = 200 * 1024;

/** A part of a log that is searched at a time, in bytes; at least so many lines. */
const LOG_PART = { bytes: 1024 * 1024, lines: 50, firstLines: 200 } as const;

/**
 * The lines that match in the text files that show, sorted by path and line. Blobs are skipped without fetching
 * them. At most `limit` hits, 200 KiB of answer and 24 MiB of text a call; the answer says when it was cut. Lets
 * others run between turns and sees what they change in files it has not come to yet. Throws `CarrelError`:
 * `invalid` for a bad pattern, glob or number, `not_found` for a path that does not exist.
 */
export async function grepFiles(
  layers: Layers,
  contents: Pick<Contents, "lines">,
  request: GrepRequest,
  turns: GrepTurns,
): Promise<GrepAnswer> {
  const limit = numberIn("limit", request.limit, 200, [1, 1_000]);
  const context = numberIn("context", request.context, 0, [0, 10]);
  const from = request.from === undefined ? null : workspacePath(request.from);
  const matcher = await createMatcher(request);
  const base = workspacePath(request.path ?? "");
  const isMeant = fileFilter(request, base);
  await layers.refresh();
  const overlay = layers.overlay();
  if (base !== "" && overlay.under(base).length === 0) throw missing(overlay, base);
  const search = new Search(
    layers,
    contents,
    new Hits(limit),
    matcher,
    context,
    new Pace(turns, matcher.reach),
  );
  return search.run(from, (entry) => isMeant(entry.path));
}

/** A glob is relative to the directory; for a single file it is about its name. */
function fileFilter(
  { glob, within }: GrepRequest,
  base: WorkspacePath,
): (path: WorkspacePath) => boolean {
  const matches = glob === undefined ? () => true : compileGlob(glob);
  const isBelow = (path: WorkspacePath) =>
    base === "" || path === base || path.startsWith(`${base}/`);
  return (path) =>
    isBelow(path) &&
    liesWithin(within, path) &&
    matches(path === base ? nameOf(path) : relativeTo(base, path));
}

class Search {
  readonly #layers: Layers;
  readonly #contents: Pick<Contents, "lines">;
  readonly #hits: Hits;
  readonly #matcher: GrepMatcher;
  readonly #context: number;
  readonly #pace: Pace;
  #searched = 0;
  #skipped = 0;
  #longLines = 0;
  #bytes = 0;

  constructor(
    layers: Layers,
    contents: Pick<Contents, "lines">,
    hits: Hits,
    matcher: GrepMatcher,
    context: number,
    pace: Pace,
  ) {
    this.#layers = layers;
    this.#contents = contents;
    this.#hits = hits;
    this.#matcher = matcher;
    this.#context = context;
    this.#pace = pace;
  }

  async run(from: WorkspacePath | null, isMeant: (entry: Entry) => boolean): Promise<GrepAnswer> {
    const walk = new Walk(this.#layers, from, isMeant);
    for (let entry = walk.next(); entry; entry = walk.next()) {
      if (this.#isSpentFor(entry)) return this.#answer("bytes", walk.last);
      if (entry.file.type === "blob") this.#skipped += 1;
      else await this.#searchFile(entry);
      if (this.#hits.isFull) return this.#answer("hits", null);
      walk.pass(entry.path);
    }
    return this.#answer(null, null);
  }

  #answer(cut: GrepAnswer["cut"], next: WorkspacePath | null): GrepAnswer {
    const { list: hits } = this.#hits;
    const [searched, skipped, longLines] = [this.#searched, this.#skipped, this.#longLines];
    return { hits, searched, skipped, longLines, cut, next };
  }

  /** The first file is always searched, so that a caller who goes on from `next` gets to the end. */
  #isSpentFor({ file }: Entry): boolean {
    if (this.#searched === 0 || file.type === "blob") return false;
    return this.#bytes + file.size > SEARCHED_BYTES || this.#pace.isSpent;
  }

  async #searchFile(entry: Entry): Promise<void> {
    this.#bytes += entry.file.size;
    const isWhole =
      entry.file.type === "log" && entry.file.row
        ? await this.#searchLog(entry.path)
        : await this.#searchText(entry);
    if (isWhole) this.#searched += 1;
  }

  async #searchText({ path, layer, file }: Entry): Promise<boolean> {
    const found = await this.#read(path);
    if (layer === "shared" || file.row?.body === null) this.#pace.start();
    if (found === null) return false;
    if (this.#matcher.mayMatch(found))
      return this.#scan(path, splitLines(found), { from: 0, to: Infinity, first: 0 });
    if (this.#pace.isDue(found.length)) await this.#pace.rest();
    return true;
  }

  /** `null` when it is not text, or does not show any more. */
  async #read(path: WorkspacePath): Promise<string | null> {
    const gone = new Error("gone");
    const find = () => {
      const entry = this.#layers.overlay().get(path);
      if (!entry) throw gone;
      return entry;
    };
    try {
      const { content } = await readShown(this.#layers, find);
      if ("text" in content) return content.text;
      this.#skipped += 1;
      return null;
    } catch (error) {
      if (error === gone) return null;
      throw error;
    }
  }

  /** Part by part, since a log may be longer than memory. Parts overlap by the lines around a hit. */
  async #searchLog(path: WorkspacePath): Promise<boolean> {
    let lines: number = LOG_PART.firstLines;
    for (let first = 0; ;) {
      const file = this.#layers.overlay().get(path)?.file;
      if (!file?.row) return false;
      const start = Math.max(0, first - this.#context);
      const wanted = first - start + lines + this.#context;
      const part = await this.#contents.lines(file.row, start, wanted);
      this.#pace.start();
      const from = first - start;
      const isWhole = await this.#scan(path, part.lines, { from, to: from + lines, first: start });
      first += lines;
      if (!isWhole || first >= part.total) return isWhole;
      const mean = Math.max(1, file.size / part.total);
      lines = Math.max(LOG_PART.lines, Math.floor(LOG_PART.bytes / mean));
    }
  }

  /** Lines `from` to `to` of a part whose first is line `first`, from 0; whether there was room for all hits. */
  async #scan(path: WorkspacePath, lines: readonly string[], range: Part): Promise<boolean> {
    const end = Math.min(lines.length, range.to);
    for (let at = range.from; at < end; at += 1) {
      const line = lines[at] ?? "";
      const part = cutAt(line, this.#matcher.reach);
      if (part.length < line.length) this.#longLines += 1;
      if (this.#matcher.matches(part)) {
        const { before, after } = this.#around(lines, at);
        const text = excerpt(line, () => this.#matcher.indexIn(part));
        if (!this.#hits.add({ path, line: range.first + at + 1, text, before, after }))
          return false;
      }
      if (this.#pace.isDue(line.length + 1)) await this.#pace.rest();
    }
    return true;
  }

  #around(lines: readonly string[], at: number): Pick<GrepHit, "before" | "after"> {
    const cut = (line: string) => excerpt(line, () => 0);
    const before = lines.slice(Math.max(0, at - this.#context), at).map(cut);
    return { before, after: lines.slice(at + 1, at + 1 + this.#context).map(cut) };
  }
}

type Part = { readonly from: number; readonly to: number; readonly first: number };

/** Hits until there is no room for one more. */
class Hits {
  readonly list: GrepHit[] = [];
  isFull = false;
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether there was room. */
  add(hit: GrepHit): boolean {
    const { path, text, before, after } = hit;
    const bytes = [path, text, ...before, ...after].reduce((sum, it) => sum + utf8Length(it), 0);
    this.isFull = this.list.length >= this.#limit || this.#bytes + bytes > ANSWER_BYTES;
    if (this.isFull) return false;
    this.#bytes += bytes;
    this.list.push(hit);
    return true;
  }
}

/** The files that are meant, in order of their paths, as they show when each one's turn comes. */
class Walk {
  readonly #layers: Layers;
  readonly #isMeant: (entry: Entry) => boolean;
  #overlay: Overlay<LayerFile> | null = null;
  #rest: readonly Entry[] = [];
  #at = 0;
  #last: WorkspacePath | null;

  constructor(layers: Layers, from: WorkspacePath | null, isMeant: (entry: Entry) => boolean) {
    this.#layers = layers;
    this.#isMeant = isMeant;
    this.#last = from;
  }

  /** The path that was passed last. */
  get last(): WorkspacePath | null {
    return this.#last;
  }

  next(): Entry | null {
    const overlay = this.#layers.overlay();
    if (overlay !== this.#overlay) {
      const last = this.#last;
      this.#overlay = overlay;
      this.#at = 0;
      this.#rest = overlay.entries.filter(
        (entry) => (last === null || entry.path > last) && this.#isMeant(entry),
      );
    }
    return this.#rest[this.#at] ?? null;
  }

  pass(path: WorkspacePath): void {
    this.#last = path;
    this.#at += 1;
  }
}
