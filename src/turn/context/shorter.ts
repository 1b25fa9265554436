import type { AttachedFile, EntryOf, Evicted, JournalEntry } from "../../session/entries.ts";
import type { ContentPart, StepPart } from "../../shared/messages.ts";
import { cutAt } from "../../shared/text.ts";
import { count } from "../../tools/truncate.ts";

/** Of a text that was moved to a file so much of the beginning and of the end stays, in characters. */
export const PREVIEW_CHARS = 2_000;
/** The same of a result that is older than what stays whole. */
const PRUNED_CHARS = 1_000;
/** Of a text in an argument. */
const ARGUMENT_CHARS = 20;
/** The message of a turn whose beginning is not in the context any more stays whole up to here. */
const CARRIED_CHARS = 4_000;

/** An entry whose texts are in these files: their ends, and where the rest is. Everything but text stays. */
export function shortenedEntry(entry: JournalEntry, files: readonly Evicted[]): JournalEntry {
  if (entry.kind === "attached") return withLess(entry, files);
  if (entry.kind !== "user" && entry.kind !== "steered" && entry.kind !== "result") return entry;
  const text = textOf(entry.content);
  const where = placeOf(files);
  const notice = `[This is too long for the conversation: it has ${count(text.length)} characters. ${where} Here are its beginning and its end.]`;
  const content = inPlaceOfText(entry.content, `${notice}\n${endsOf(text, PREVIEW_CHARS, "")}`);
  return entry.kind === "result" ? withoutSeen({ ...entry, content }) : { ...entry, content };
}

/** All texts of a message as one. */
export const textOf = (content: readonly ContentPart[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

function placeOf(files: readonly Evicted[]): string {
  const [first, ...others] = files;
  if (!first) return "The rest is left out.";
  const names = others.length === 0 ? first.path : `${files.length} files from ${first.path} on`;
  return `All of it is in ${names}. Read on with read_file, path=${JSON.stringify(first.path)}.`;
}

/** Files that a message names, with the beginnings of those that are too long: they lie in the workspace already. */
function withLess(entry: EntryOf<"attached">, long: readonly Evicted[]): JournalEntry {
  const paths = long.map(({ path }) => path);
  const files = entry.files.map((file): AttachedFile => {
    if (!paths.includes(file.path)) return file;
    const text = cutAt(file.text, 2 * PREVIEW_CHARS);
    const line = text.lastIndexOf("\n");
    const { path } = file;
    if (line > 0) return { path, text: text.slice(0, line), cut: true };
    return { path, text, cut: true, lineCut: true };
  });
  const seen = Object.fromEntries(
    Object.entries(entry.seen ?? {}).filter(([path]) => !paths.includes(path)),
  );
  return { ...entry, files, seen };
}

/** A result with the ends of its text; the same object where it is short. */
export function prunedResult(entry: EntryOf<"result">, maxChars: number): JournalEntry {
  const text = textOf(entry.content);
  if (text.length <= maxChars) return entry;
  const { evicted } = entry;
  const where =
    evicted === undefined
      ? "Call the tool again to see them."
      : `${evicted.path} has all of it: read_file shows it.`;
  const content = inPlaceOfText(entry.content, endsOf(text, PRUNED_CHARS, where));
  return withoutSeen({ ...entry, content });
}

/** A file that is shown in part has to be read again before it may be replaced. */
function withoutSeen(entry: EntryOf<"result">): JournalEntry {
  const { seen: _, ...rest } = entry;
  return rest;
}

/** A step whose calls have no long texts among their arguments; the same object where they have none. */
export function truncatedStep(entry: EntryOf<"step">, maxChars: number): JournalEntry {
  const isLong = (part: StepPart) => part.type === "tool-call" && part.input.length > maxChars;
  if (!entry.parts.some(isLong)) return entry;
  const parts = entry.parts.map((part) =>
    part.type === "tool-call" && isLong(part)
      ? { ...part, input: shorterJson(part.input, maxChars) }
      : part,
  );
  return { ...entry, parts };
}

/** Always the JSON of an object, as every provider wants it. */
function shorterJson(input: string, maxChars: number): string {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return JSON.stringify({ truncated: shorterText(input) });
  }
  const shorter = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "string" && inner.length > maxChars ? shorterText(inner) : inner,
  );
  // Many short texts are as long as one long one.
  return shorter.length <= 4 * maxChars
    ? shorter
    : JSON.stringify({ truncated: shorterText(input) });
}

function shorterText(text: string): string {
  const head = cutAt(text, ARGUMENT_CHARS);
  return `${head}… [${count(text.length - head.length)} more characters are left out]`;
}

/** The message of a turn that goes on in the context while its beginning does not: its ends, and no pictures. */
export function carriedEntry(entry: JournalEntry): JournalEntry {
  if (entry.kind !== "user" && entry.kind !== "steered") return entry;
  const text = textOf(entry.content);
  const short = text.length <= CARRIED_CHARS ? text : endsOf(text, CARRIED_CHARS / 2, "");
  const images = entry.content.filter(({ type }) => type === "image").length;
  const parts: ContentPart[] = [
    ...(short.trim() === "" ? [] : [{ type: "text", text: short } as const]),
    ...(images === 0
      ? []
      : [{ type: "text", text: `[${images} images of this message are left out.]` } as const]),
  ];
  return { ...entry, content: parts };
}

/** `notice` where the first text was; everything but text stays. */
function inPlaceOfText(content: readonly ContentPart[], notice: string): ContentPart[] {
  const first = content.findIndex(({ type }) => type === "text");
  return content.flatMap((part, at): ContentPart[] => {
    if (part.type !== "text") return [part];
    return at === first ? [{ type: "text", text: notice }] : [];
  });
}

/** The two ends of a text that is longer than both, with how much is missing and `where` it is. */
export function endsOf(text: string, chars: number, where: string): string {
  if (text.length <= 2 * chars) return text;
  const head = cutAt(text, chars);
  const end = text.slice(-chars);
  const tail = /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
  const left = count(text.length - head.length - tail.length);
  const notice = `${left} characters are left out here.${where === "" ? "" : ` ${where}`}`;
  return `${head}\n[… ${notice}]\n${tail}`;
}
