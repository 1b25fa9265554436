import * as z from "zod";
import type { RunSummary } from "../../shared/memory-api.ts";
import { withoutComments } from "../../shared/memory-marks.ts";
import { cutAt } from "../../shared/text.ts";
import type { Held } from "./document.ts";

export const RECORDS = "memory/.consolidation";

/** The readable record of a run. */
export const recordPath = (run: string): string => `${RECORDS}/${run}.md`;

/** The run whose record this is; `null` for another file. */
export const runOf = (path: string): string | null =>
  /^memory\/\.consolidation\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\.md$/.exec(path)?.[1] ?? null;

/** Milliseconds that a date can have. */
const Time = z.int().min(0).max(8.64e15);

const Held = z.object({ id: z.string(), text: z.string(), section: z.string(), raw: z.string() });
const Undone = z.object({ at: Time, by: z.string() });
const Done = z.object({
  sources: z.array(z.string()).readonly(),
  reason: z.string(),
  undone: Undone.nullable(),
  /** Its texts are not there any more, since they were forgotten. */
  isForgotten: z.boolean(),
});

const Change = z.discriminatedUnion("what", [
  Done.extend({ what: z.literal("changed"), before: Held, after: Held }),
  Done.extend({ what: z.literal("added"), after: Held }),
  Done.extend({ what: z.literal("dropped"), before: Held }),
]);

const Refusal = z.object({
  op: z.string(),
  entry: z.string(),
  text: z.string(),
  sources: z.array(z.string()).readonly(),
  why: z.string(),
});

const Result = z.object({
  run: z.string(),
  state: z.enum(["applied", "refused", "lost"]),
  why: z.string().nullable(),
  kept: z.int(),
  changed: z.int(),
  added: z.int(),
  dropped: z.int(),
  refused: z.int(),
});

const RunRecord = z.object({
  version: z.literal(1),
  at: Time,
  /** Entries of ledgers that it read. */
  read: z.int(),
  result: Result,
  changes: z.array(Change).readonly(),
  refusals: z.array(Refusal).readonly(),
  /** Ledgers that could not be read. */
  unreadable: z.array(z.string()).readonly(),
  /** Entries of ledgers that no operation named, by name. */
  left: z.array(z.string()).readonly().default([]),
  undone: z
    .array(
      z.object({
        op: z.string(),
        at: Time,
        by: z.string(),
        restored: z.int(),
        refused: z.array(z.object({ id: z.string(), why: z.string() })).readonly(),
      }),
    )
    .readonly(),
});

/** What a run did to one entry. */
export type RecordChange = Readonly<z.output<typeof Change>>;
/** An operation that was not done. */
export type Refusal = Readonly<z.output<typeof Refusal>>;
export type RunRecord = Readonly<z.output<typeof RunRecord>>;

const FENCE = "```json\n";
/** What a person is shown of a text. */
const SHOWN = 500;

/** The record of a text; `null` where somebody has spoilt it. */
export function parseRecord(text: string | null): RunRecord | null {
  const at = text?.lastIndexOf(`\n${FENCE}`) ?? -1;
  if (text === null || at === -1) return null;
  const json = text.slice(at + 1 + FENCE.length).split("\n", 1)[0] ?? "";
  try {
    return RunRecord.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** A record as a person reads it, and at its end the same for undoing. */
export function writeRecord(record: RunRecord): string {
  const { result, changes, refusals, unreadable, left, undone } = record;
  const of = (what: RecordChange["what"]) => changes.filter((change) => change.what === what);
  const sections = [
    listed("Changed", of("changed").map(changeLines)),
    listed("Added", of("added").map(changeLines)),
    listed("Dropped", of("dropped").map(changeLines)),
    listed("Refused", refusals.map(refusalLines)),
    listed(
      "Not read",
      unreadable.map((path) => [`${path}: it is not text; one of its bytes is not UTF-8`]),
    ),
    listed(
      "Not taken over",
      left.map((name) => [name]),
    ),
    listed(
      "Taken back",
      undone.map(({ at, by, restored }) => [`${restored} by ${by}, ${time(at)}`]),
    ),
  ];
  const head = `# Consolidation ${result.run}\n\n${summary(record)}\n`;
  const data = `\n## Data\n\nUndo reads this.\n\n${FENCE}${JSON.stringify(record)}\n\`\`\`\n`;
  return head + sections.join("") + data;
}

function summary({ at, read, result }: RunRecord): string {
  const { state, why, kept, changed, added, dropped, refused } = result;
  const entries = `${read} new ${read === 1 ? "entry" : "entries"} of ledgers`;
  if (state !== "applied")
    return `${time(at)}: refused, nothing was changed. ${why ?? ""}\nIt was shown ${entries}; the next run will be, too.`;
  return `${time(at)}: ${kept} kept, ${changed} changed, ${added} added, ${dropped} dropped, ${refused} refused; ${entries} read.`;
}

const listed = (title: string, items: readonly (readonly string[])[]): string =>
  items.length === 0
    ? ""
    : `\n## ${title}\n\n${items.map((lines) => `- ${lines.join("\n  ")}\n`).join("")}`;

function changeLines(change: RecordChange): string[] {
  const { sources, reason, undone } = change;
  const was = change.what === "added" ? [] : [`was: ${shown(change.before)}`];
  const is = change.what === "dropped" ? [] : [`is: ${shown(change.after)}`];
  return [
    ...was,
    ...is,
    ...(sources.length > 0 ? [`from: ${sources.join(", ")}`] : []),
    ...(reason === "" ? [] : [`because: ${oneLine(reason)}`]),
    ...(undone ? [`taken back by ${undone.by}, ${time(undone.at)}`] : []),
  ];
}

const refusalLines = ({ op, entry, text, why }: Refusal): string[] => [
  `${op}${entry === "" ? "" : ` ${entry}`}${text === "" ? "" : `: ${oneLine(text)}`}`,
  `refused: ${oneLine(why)}`,
];

const shown = ({ text, section }: Held): string =>
  `${oneLine(text)}${section === "" ? "" : ` (${oneLine(section)})`}`;

const oneLine = (text: string): string =>
  withoutComments(cutAt(text, SHOWN)).replace(/\s+/g, " ").trim();

const time = (at: number): string => new Date(at).toISOString();

/** A run as lists show it. */
export const summaryOf = ({ result, at, changes }: RunRecord): RunSummary => ({
  ...result,
  at,
  path: recordPath(result.run),
  undone: changes.length > 0 && changes.every(({ undone, isForgotten }) => undone ?? isForgotten),
});

const FORGOTTEN = "[forgotten]";
const nothing = (held: Held): Held => ({ ...held, text: FORGOTTEN, raw: FORGOTTEN });

/** A change without its texts. */
export function forgotten(change: RecordChange): RecordChange {
  const without = { reason: "", isForgotten: true };
  switch (change.what) {
    case "changed":
      return {
        ...change,
        ...without,
        before: nothing(change.before),
        after: nothing(change.after),
      };
    case "added":
      return { ...change, ...without, after: nothing(change.after) };
    case "dropped":
      return { ...change, ...without, before: nothing(change.before) };
  }
}
