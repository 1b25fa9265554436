import { entryId, memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import { withoutComments, writeMark, type Mark } from "../../shared/memory-marks.ts";
import { cutAt } from "../../shared/text.ts";

/** A line that belongs to no entry, or all lines of one, with their line ends. */
type Block =
  | { readonly kind: "line"; readonly lines: string }
  | { readonly kind: "entry"; readonly lines: string; readonly entry: MemoryEntry };

/** An entry as it stands in MEMORY.md: `raw` is its lines with the mark, without the last line end. */
export type Held = {
  readonly id: string;
  readonly text: string;
  readonly section: string;
  readonly raw: string;
};

const LINES = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g;
const END = /(?:\r\n|\n|\r)$/;
const HEADING = /^#{1,6}\s+(.*)$/s;
const BULLET = /^(?:[-*+]|\d{1,9}[.)])\s+/;
/** What would make a line something else than a paragraph. */
const SIGNS = /^(?:(?:[-*+•]|#{1,6}|>)\s+|(?:`{3,}|~{3,})\S*\s*)+/;

const MOST_CHARS = 2_000;
const MOST_SECTION = 100;

/** What an entry may say: one line, without what could be taken for a mark, a heading or a bullet. Blank: nothing is left. */
export const entryText = (raw: string): string =>
  withoutComments(raw.toWellFormed().replace(/[^\P{Cc}\n\r\t]|\uFEFF/gu, ""))
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim().replace(SIGNS, "").trim())
    .filter((line) => line !== "")
    .join(" ")
    .replace(/\s+/g, " ")
    .replace(SIGNS, "");

/** Whether a text is too long for one entry. */
export const isTooLong = (text: string): boolean => text.length > MOST_CHARS;

/** The name of a section, on one line. */
export const sectionName = (raw: string): string =>
  cutAt(entryText(raw), MOST_SECTION).trim().replace(/#+$/, "").trim();

/** Sections are the same whatever signs stand between their words. */
export const sectionKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** A new entry's lines. */
export const rawEntry = (text: string, mark: Mark, sign = "- "): string =>
  `${sign}${text} ${writeMark(mark)}`;

/**
 * MEMORY.md as lines and entries. What is not touched stays as it is, byte for byte: headings, blank lines, comments and
 * line ends of whoever wrote them.
 */
export class MemoryDocument {
  readonly #bom: string;
  #blocks: Block[];
  readonly #end: string;

  constructor(text: string) {
    this.#bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    const lines = text.slice(this.#bom.length).match(LINES) ?? [];
    const blocks: Block[] = [];
    let next = 0;
    const upTo = (line: number) => {
      for (const one of lines.slice(next, line)) blocks.push({ kind: "line", lines: one });
      next = Math.max(next, line);
    };
    for (const entry of memoryEntries(text)) {
      upTo(entry.start - 1);
      blocks.push({
        kind: "entry",
        entry,
        lines: lines.slice(entry.start - 1, entry.end).join(""),
      });
      next = entry.end;
    }
    upTo(lines.length);
    this.#blocks = blocks;
    this.#end = lines[0]?.endsWith("\r\n") ? "\r\n" : "\n";
  }

  get entries(): readonly MemoryEntry[] {
    return this.#blocks.flatMap((block) => (block.kind === "entry" ? block.entry : []));
  }

  get text(): string {
    return this.#bom + this.#blocks.map(({ lines }) => lines).join("");
  }

  /** Whether its text is read as the entries that it is made of: not when a fence was never closed. */
  get isSound(): boolean {
    const meant = this.entries.map(({ id }) => id).join();
    return (
      memoryEntries(this.text)
        .map(({ id }) => id)
        .join() === meant
    );
  }

  held(entry: MemoryEntry): Held {
    const block = this.#blockOf(entry);
    const { id, text, section } = entry;
    return { id, text, section, raw: block.lines.replace(END, "") };
  }

  /** The sign that begins the entry's first line; empty for a paragraph. */
  signOf(entry: MemoryEntry): string {
    return BULLET.exec(this.#blockOf(entry).lines)?.[0] ?? "";
  }

  /** Puts other lines in the place of an entry. Gives what stands there now. */
  replace(entry: MemoryEntry, raw: string): Held {
    const block = this.#blockOf(entry);
    const end = END.exec(block.lines)?.[0] ?? "";
    const now = this.#entry(raw, entry.section);
    this.#blocks = this.#blocks.map((it) => (it === block ? { ...now, lines: raw + end } : it));
    return this.held(now.entry);
  }

  remove(entry: MemoryEntry): void {
    const block = this.#blockOf(entry);
    this.#blocks.splice(this.#blocks.indexOf(block), 1);
  }

  /** Removes all entries with these ids. A section with a heading that `isOwn` goes with the last of its entries. */
  removeAll(ids: ReadonlySet<string>, isOwn: (heading: string) => boolean = () => false): void {
    const parts: { readonly head: string | null; readonly blocks: Block[] }[] = [
      { head: null, blocks: [] },
    ];
    for (const block of this.#blocks) {
      const head = headingIn(block);
      if (head !== null) parts.push({ head, blocks: [] });
      parts.at(-1)?.blocks.push(block);
    }
    this.#blocks = parts.flatMap(({ head, blocks }) => {
      const left = blocks.filter((it) => it.kind === "line" || !ids.has(it.entry.id));
      const isEmptied = left.length < blocks.length && left.every(({ kind }) => kind === "line");
      return isEmptied && head !== null && isOwn(head) ? [] : left;
    });
  }

  /** Adds an entry at the end of a section, which is made where there is none; `null`: at the end of the file. */
  insert(raw: string, section: string | null): Held {
    const heading = section === null || section === "" ? -1 : this.#headingOf(section);
    if (section !== null && section !== "" && heading === -1) return this.#append(raw, section);
    const from = section === "" ? 0 : heading + 1;
    const next = this.#blocks.findIndex((block, at) => at >= from && headingIn(block) !== null);
    let at = section === null || next === -1 ? this.#blocks.length : next;
    while (at > from && this.#blocks[at - 1]?.lines.trim() === "") at -= 1;
    const before = this.#blocks[at - 1];
    const isParagraph = !BULLET.test(raw);
    const needsRoom = before && (headingIn(before) !== null || isParagraph);
    const name = section ?? this.#sectionAt(at);
    return this.#put(at, raw, name, needsRoom ? this.#end : "");
  }

  #append(raw: string, section: string): Held {
    const last = this.#blocks.at(-1);
    const room = last === undefined || last.lines.trim() === "" ? "" : this.#end;
    this.#closeLine(this.#blocks.length);
    const lines = `${room}## ${section}${this.#end}`;
    this.#blocks.push({ kind: "line", lines });
    return this.#put(this.#blocks.length, raw, section, this.#end);
  }

  #put(at: number, raw: string, section: string, room: string): Held {
    this.#closeLine(at);
    const now = this.#entry(raw, section);
    const spaced: Block[] = room === "" ? [] : [{ kind: "line", lines: room }];
    this.#blocks.splice(at, 0, ...spaced, { ...now, lines: raw + this.#end });
    return this.held(now.entry);
  }

  /** The block before that place ends with a line end. */
  #closeLine(at: number): void {
    const before = this.#blocks[at - 1];
    if (before && !END.test(before.lines))
      this.#blocks[at - 1] = { ...before, lines: before.lines + this.#end };
  }

  #entry(raw: string, section: string): Extract<Block, { kind: "entry" }> {
    const [read] = memoryEntries(raw);
    const text = read?.text ?? raw.trim();
    const shape = read ?? { start: 1, end: 1, isBullet: false, mark: null };
    return { kind: "entry", lines: raw, entry: { ...shape, id: entryId(text), text, section } };
  }

  #headingOf(section: string): number {
    return this.#blocks.findIndex((block) => {
      const heading = headingIn(block);
      return heading !== null && sectionKey(heading) === sectionKey(section);
    });
  }

  #sectionAt(at: number): string {
    const heading = this.#blocks.slice(0, at).findLast((block) => headingIn(block) !== null);
    return (heading && headingIn(heading)) ?? "";
  }

  #blockOf(entry: MemoryEntry): Extract<Block, { kind: "entry" }> {
    const block = this.#blocks.find((it) => it.kind === "entry" && it.entry === entry);
    if (block?.kind === "entry") return block;
    throw new Error(`entry ${entry.id} is not in the document any more`);
  }
}

function headingIn({ kind, lines }: Block): string | null {
  if (kind !== "line") return null;
  const line = lines.replace(END, "").replace(/^(?:\r\n|\n|\r)+/, "");
  return HEADING.exec(line)?.[1]?.trim() ?? null;
}
