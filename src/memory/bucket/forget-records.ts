import type { Change } from "../../shared/workspace-changes.ts";
import { forgotten, parseRecord, RECORDS, runOf, writeRecord } from "../consolidation/record.ts";
import type { RecordChange, Refusal, RunRecord } from "../consolidation/record.ts";
import { filesBelow, readTexts, type BucketFiles, type TextFile } from "./files.ts";

/** In place of a text. */
const FORGOTTEN = "[forgotten]";

/**
 * Takes texts out of the records of runs: of every change and refusal that is about one of these entries (`names`: as
 * marks and records name them), or about what became of it or it came from.
 */
export async function forgetRecords(
  files: BucketFiles,
  names: readonly string[],
  texts: ReadonlySet<string>,
): Promise<readonly Change[]> {
  const paths = (await filesBelow(files, RECORDS)).map(({ path }) => path);
  const found = await readTexts(
    files,
    paths.filter((path) => runOf(path) !== null),
  );
  const records = [...found.values()].map((file) => ({ file, record: parseRecord(file.text) }));
  const known = closureOf(
    records.flatMap(({ record }) => record?.changes ?? []),
    new Set([...names, ...names.map(idIn)]),
  );
  return records.flatMap(({ file, record }) => {
    const text = record ? cleaned(record, known, texts) : spoilt(file, texts);
    if (text === null) return [];
    return [{ kind: "write", path: file.path, content: { text }, expect: file.etag }];
  });
}

const idIn = (name: string): string => name.slice(name.lastIndexOf("#") + 1);

/** All entries that those named became, or came from, by name and by id. */
function closureOf(changes: readonly RecordChange[], names: Set<string>): ReadonlySet<string> {
  const known = new Set(names);
  for (let before = -1; before !== known.size;) {
    before = known.size;
    for (const change of changes.filter((it) => isAbout(it, known)))
      for (const id of idsOf(change)) known.add(id);
  }
  return known;
}

const idsOf = (change: RecordChange): string[] => [
  ...(change.what === "added" ? [] : [change.before.id]),
  ...(change.what === "dropped" ? [] : [change.after.id]),
];

const isAbout = (change: RecordChange, known: ReadonlySet<string>): boolean =>
  [...idsOf(change), ...change.sources, ...change.sources.map(idIn)].some((name) =>
    known.has(name),
  );

/** The record without them; `null` where it has none of them. */
function cleaned(
  record: RunRecord,
  known: ReadonlySet<string>,
  texts: ReadonlySet<string>,
): string | null {
  const isRefusedOne = ({ text, sources }: Refusal) =>
    text !== "" &&
    (sources.some((name) => known.has(name) || known.has(idIn(name))) ||
      [...texts].some((one) => text.includes(one)));
  const isMeant = (change: RecordChange) => !change.isForgotten && isAbout(change, known);
  const { changes, refusals } = record;
  if (!changes.some(isMeant) && !refusals.some(isRefusedOne)) return null;
  return writeRecord({
    ...record,
    changes: changes.map((change) => (isMeant(change) ? forgotten(change) : change)),
    refusals: refusals.map((one) => (isRefusedOne(one) ? { ...one, text: FORGOTTEN } : one)),
  });
}

/** A record that somebody has changed by hand: whatever says such a text word for word. */
function spoilt({ text }: TextFile, texts: ReadonlySet<string>): string | null {
  let rest = text ?? "";
  for (const one of texts) rest = rest.replaceAll(one, FORGOTTEN);
  return text === null || rest === text ? null : rest;
}
