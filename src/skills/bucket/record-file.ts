import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { SkillParts } from "./skill-parts.ts";

/** A file that holds one JSON object: what is known of each name. */
export type RecordFile<Entry> = {
  readonly path: string;
  readonly entry: z.ZodType<Entry>;
  /** The entry as it is written down. */
  readonly render: (entry: Entry) => object;
};

/** What a record file says. `etag` is to be sent back as `expect`. */
export type Records<Entry> = {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly etag: string;
};

/** A time in a record: ISO there, milliseconds here. */
export const instant = z.string().transform((text, context) => {
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  context.addIssue(`not a time: ${JSON.stringify(text.slice(0, 40))}`);
  return z.NEVER;
});

/** The time as records have it. */
export const isoOf = (at: number): string => new Date(at).toISOString();

/** The same of a time that may be unknown. */
export const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at));

/**
 * What the file says; nothing where there is none. Throws `CarrelError('invalid')`, which names the file and what is wrong in
 * it, for one that cannot be read as what it should be: it never counts as empty.
 */
export async function readRecords<Entry>(
  files: Pick<SkillParts["files"], "readMany">,
  { path, entry }: RecordFile<Entry>,
): Promise<Records<Entry>> {
  const [found] = (await files.readMany({ paths: [path], layer: "own" })).files;
  if (!found) return { entries: new Map(), etag: "absent" };
  const { content, file } = found;
  const text = "text" in content ? content.text : null;
  const whole = text === null ? null : jsonIn(text);
  if (whole === null || typeof whole !== "object" || Array.isArray(whole))
    throw broken(path, "it is not a JSON object");
  const entries = new Map<string, Entry>();
  for (const [name, said] of Object.entries(whole)) {
    const parsed = entry.safeParse(said);
    if (!parsed.success) throw broken(path, `${JSON.stringify(name)}: ${firstOf(parsed.error)}`);
    entries.set(name, parsed.data);
  }
  return { entries, etag: file.etag };
}

/** What writes these entries, sorted by name, in the place of what was read; refused when the file has changed since. */
export function recordsChange<Entry>(
  { path, render }: RecordFile<Entry>,
  before: Records<Entry>,
  entries: ReadonlyMap<string, Entry>,
): Change {
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const object = Object.fromEntries(sorted.map(([name, entry]) => [name, render(entry)]));
  const text = `${JSON.stringify(object, null, 2)}\n`;
  return { kind: "write", path, content: { text }, expect: before.etag };
}

/** The same with one entry put, or with `null` taken away. */
export function recordChange<Entry>(
  file: RecordFile<Entry>,
  before: Records<Entry>,
  name: string,
  entry: Entry | null,
): Change {
  const entries = new Map(before.entries);
  if (entry === null) entries.delete(name);
  else entries.set(name, entry);
  return recordsChange(file, before, entries);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

const firstOf = ({ issues: [issue] }: z.ZodError): string =>
  issue ? `${issue.path.join(".")} ${issue.message}`.trim().slice(0, 200) : "it is malformed";

const broken = (path: string, why: string): CarrelError =>
  new CarrelError(
    "invalid",
    `"${path}" cannot be read: ${why}. Mend the file, or delete it to begin anew.`,
  );
