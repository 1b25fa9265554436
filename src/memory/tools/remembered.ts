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
  withoutEnd(oneLine(withoutSign(text.normalize("NFKC").toLowerCase())).replace(/^["'“”„«‹]+/, ""));

const ENDINGS = "\"'“”«»›.!?… ";

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ENDINGS.includes(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

const MIN_PIECE = 20;
const MAX_NEAREST = 3;
const MIN_LIKENESS = 0.25;
/** What is compared to find the nearest: pairs of a text that is looked for, spread over all of it, characters of an entry, and entries. */
const COMPARED = { pairs: 64, characters: 2_000, entries: 2_000 } as const;

/** Looks for the entries that some texts mean, among all that are shown to it. */
export class EntryFinder {
  readonly #wishes: readonly Wish[];
  /** Entries that were compared with what no entry has said so far. */
  #compared = 0;

  constructor(texts: readonly string[]) {
    this.#wishes = texts.map((text) => new Wish(text));
  }

  look(entries: readonly Remembered[]): void {
    for (const entry of entries) {
      const said = plain(entry.text);
      const missing = this.#wishes.filter((wish) => !wish.look(entry, said));
      if (missing.length === 0 || this.#compared >= COMPARED.entries) continue;
      this.#compared += 1;
      const pairs = new Set(pairsOf(said.slice(0, COMPARED.characters)));
      for (const wish of missing) wish.consider(entry, pairs);
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

class Wish {
  readonly text: string;
  readonly #id: string;
  readonly #plain: string;
  /** A text that a search has cut; `null` for a whole one. */
  readonly #piece: string | null;
  readonly #pairs: readonly string[];
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
    this.#pairs = spread(pairsOf(this.#plain), COMPARED.pairs);
  }

  /** Whether an entry says all of it, this one or one before. */
  look(entry: Remembered, said: string): boolean {
    if (entry.id === this.#id) this.#exact.add(entry.id);
    else if (said === this.#plain) this.#alike.add(entry.id);
    else if (this.#piece !== null && said.includes(this.#piece)) this.#holding.add(entry.id);
    return this.#exact.size + this.#alike.size > 0;
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

  /** Keeps an entry that says something like it, where it is one of the nearest. */
  consider(entry: Remembered, pairs: ReadonlySet<string>): void {
    let shared = 0;
    for (const pair of this.#pairs) if (pairs.has(pair)) shared += 1;
    const likeness = shared / Math.max(1, this.#pairs.length);
    const last = this.#nearest[MAX_NEAREST - 1]?.likeness ?? 0;
    if (likeness < MIN_LIKENESS || likeness <= last) return;
    if (this.#nearest.some((known) => known.entry.id === entry.id)) return;
    this.#nearest = [...this.#nearest, { likeness, entry }]
      .toSorted((a, b) => b.likeness - a.likeness)
      .slice(0, MAX_NEAREST);
  }
}

/** Neighbouring characters, each two once, so that no script needs words. */
function pairsOf(text: string): readonly string[] {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return [...pairs];
}

/** So many of them at most, from the beginning to the end. */
function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const each = Math.max(1, items.length / most);
  return items.filter((_, at) => at % each < 1);
}
