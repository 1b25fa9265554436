import { entryId, memoryEntries } from "../../shared/memory-entries.ts";
import { withoutMarks } from "../../shared/memory-marks.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { oneLine } from "./log-lines.ts";

/** An entry of MEMORY.md or of a ledger, archived ones too. */
export type Remembered = {
  readonly id: string;
  readonly text: string;
  readonly path: string;
  readonly line: number;
};

const FILES = "{MEMORY.md,memory/**/*.md}";

/** MEMORY.md first, then ledgers, in the order of their paths; a batch for each call that it takes. */
export async function* remembered(
  workspace: Pick<Workspace, "glob" | "readMany">,
): AsyncGenerator<readonly Remembered[]> {
  const { files } = await workspace.glob({ pattern: FILES, limit: 2_000 });
  let paths = files.map(({ path }) => path).filter((path) => !/\/\./.test(path));
  while (paths.length > 0) {
    const { files: read } = await workspace.readMany({ paths });
    if (read.length === 0) throw new Error("no file was read of those that were asked for");
    yield read.flatMap((answer, at) => {
      if (!answer || !("text" in answer.content)) return [];
      const path = paths[at] ?? "";
      return memoryEntries(answer.content.text).map(({ id, text, start }) => {
        return { id, text, path, line: start };
      });
    });
    paths = paths.slice(read.length);
  }
}

/** What of a wish is the entry's text: without what a search or a page puts around it. */
export function wishOf(raw: string): string {
  const text = withoutMarks(raw).trim();
  if (!/^Source: \S+#\d+: /.test(text)) return withoutSign(withoutNumbers(text));
  const found = text.replace(/ \(\d\.\d\d(?:, \d{4}-\d\d-\d\d)?\)$/, "");
  return withoutSign(found.replace(/^Source: \S+#\d+: /, ""));
}

const withoutNumbers = (text: string): string =>
  /^\d+\|/.test(text) ? text.replace(/^\d+\|/gm, "") : text;

const withoutSign = (text: string): string =>
  text.trim().replace(/^(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/, "");

/** Case, white space, the sign of a list, quotes around it and the sign at its end make no other entry of a text. */
const plain = (text: string): string =>
  oneLine(withoutSign(text.normalize("NFKC").toLowerCase()))
    .replace(/^["'“”„«‹]+/, "")
    .replace(/["'“”«»›.!?…\s]+$/, "");

const MIN_PIECE = 20;
const MAX_NEAREST = 3;
const MIN_LIKENESS = 0.25;

/** Looks for the entries that some texts mean, among all that are shown to it. */
export class EntryFinder {
  readonly #wishes: readonly Wish[];

  constructor(texts: readonly string[]) {
    this.#wishes = texts.map((text) => new Wish(text));
  }

  look(entries: readonly Remembered[]): void {
    for (const entry of entries) {
      const said = plain(entry.text);
      const pairs = pairsOf(said);
      for (const wish of this.#wishes) wish.look({ entry, said, pairs });
    }
  }

  /** How many texts are looked for. */
  get size(): number {
    return this.#wishes.length;
  }

  /** Ids of what was found, and those that the texts themselves would have. */
  get ids(): readonly string[] {
    return [...new Set(this.#wishes.flatMap((wish) => [entryId(wish.text), ...wish.ids]))];
  }

  /** Texts that no entry says, each with entries that say something like it, the nearest first. */
  get missed(): readonly { readonly text: string; readonly nearest: readonly Remembered[] }[] {
    return this.#wishes
      .filter((wish) => wish.ids.length === 0)
      .map(({ text, nearest }) => ({ text, nearest }));
  }
}

type Seen = {
  readonly entry: Remembered;
  readonly said: string;
  readonly pairs: ReadonlySet<string>;
};

class Wish {
  readonly text: string;
  readonly #id: string;
  readonly #plain: string;
  /** A text that a search has cut; `null` for a whole one. */
  readonly #piece: string | null;
  readonly #pairs: ReadonlySet<string>;
  readonly #exact = new Set<string>();
  readonly #alike = new Set<string>();
  readonly #holding = new Set<string>();
  #nearest: { readonly likeness: number; readonly entry: Remembered }[] = [];

  constructor(text: string) {
    const piece = plain(text.replace(/^…|…$/g, ""));
    this.text = text;
    this.#id = entryId(text);
    this.#plain = plain(text);
    this.#piece = /^…|…$/.test(text) && piece.length >= MIN_PIECE ? piece : null;
    this.#pairs = pairsOf(this.#plain);
  }

  look(seen: Seen): void {
    const { entry, said } = seen;
    if (entry.id === this.#id) this.#exact.add(entry.id);
    else if (said === this.#plain) this.#alike.add(entry.id);
    else if (this.#piece !== null && said.includes(this.#piece)) this.#holding.add(entry.id);
    else this.#consider(seen);
  }

  /** Exactly what was said; else what differs in its writing only; else the one entry that a cut text is from. */
  get ids(): readonly string[] {
    if (this.#exact.size > 0) return [...this.#exact];
    if (this.#alike.size > 0) return [...this.#alike];
    return this.#holding.size === 1 ? [...this.#holding] : [];
  }

  get nearest(): readonly Remembered[] {
    return this.#nearest.map(({ entry }) => entry);
  }

  #consider({ entry, pairs }: Seen): void {
    if (this.#nearest.some((known) => known.entry.id === entry.id)) return;
    const shared = [...this.#pairs].filter((pair) => pairs.has(pair)).length;
    const likeness = shared / Math.max(1, this.#pairs.size);
    if (likeness < MIN_LIKENESS) return;
    this.#nearest = [...this.#nearest, { likeness, entry }]
      .toSorted((a, b) => b.likeness - a.likeness)
      .slice(0, MAX_NEAREST);
  }
}

/** Neighbouring characters, so that no script needs words. */
const pairsOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
