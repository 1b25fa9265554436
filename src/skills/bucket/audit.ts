import * as z from "zod";
import { CarrelError, invalid } from "../../shared/errors.ts";
import type { DraftChanged } from "../../shared/skill-drafts.ts";
import type { AuditLine, AuditRequest } from "../../shared/skill-upkeep.ts";
import { cutAt, splitLines, utf8Length } from "../../shared/text.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import { isoOf } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** Where the lines lie: `2026-12-01.jsonl`, and once that is full `2026-12-01-2.jsonl`. */
export const AUDIT = "skills/.audit";

/** A day's next file begins where one would get longer. */
const MOST_BYTES = 900_000;
const MOST_REASON = 500;
const MOST_LINES = 1_000;
const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const MOST_DAYS = 400;

/** What is written down: the line and, where a draft was patched, how its place was found. */
export type AuditEntry = Omit<AuditLine, "ts"> & Pick<DraftChanged, "matched">;

const hash = z.string().nullable().default(null);

const Line = z.object({
  ts: z.iso.datetime(),
  actor: z.string(),
  op: z.enum([
    "propose",
    "promote",
    "reject",
    "defer",
    "archive",
    "restore",
    "pin",
    "unpin",
    "curate",
  ]),
  target: z.string(),
  decision: z.string(),
  scanVerdict: z.enum(["safe", "caution", "dangerous"]).nullable().default(null),
  beforeHash: hash,
  afterHash: hash,
  reason: z.string().nullable().default(null),
  session: z.string().nullable().default(null),
});

const Matched = z.object({
  matched: z.enum(["exact", "trailing whitespace ignored", "whitespace collapsed"]),
});

/** What adds these lines to the file of today. It is to be the last change of its request: `auditedAt` finds it there. */
export async function auditChange(
  { files, clock }: Pick<SkillParts, "files" | "clock">,
  entries: readonly AuditEntry[],
): Promise<Change> {
  const ts = isoOf(clock.now());
  const text = entries
    .map(({ reason, ...entry }) => {
      const line = { ts, ...entry, reason: reason && cutAt(reason, MOST_REASON) };
      return `${JSON.stringify(line)}\n`;
    })
    .join("");
  const day = ts.slice(0, 10);
  const newest = (await auditFiles(files)).findLast((file) => file.day === day);
  if (!newest) return { kind: "append", path: pathOf(day, 1), text };
  const fits = newest.size + utf8Length(text) <= MOST_BYTES;
  return { kind: "append", path: pathOf(day, fits ? newest.no : newest.no + 1), text };
}

/** The line that a change of `auditChange` ended with; `null` when it is not there any more. `file` is what the change gave. */
export async function auditedAt(
  { files }: Pick<SkillParts, "files">,
  file: Pick<FileInfo, "path" | "size">,
): Promise<AuditEntry | null> {
  const [read] = (await files.readMany({ paths: [file.path], layer: "own" })).files;
  if (!read || !("text" in read.content)) return null;
  const bytes = new TextEncoder().encode(read.content.text);
  const until = new TextDecoder().decode(bytes.subarray(0, file.size));
  const last = lineIn(splitLines(until).at(-1) ?? "");
  return last && { ...last.line, ...last.matched };
}

/** See `SkillsApi`. Lines that cannot be read are left out. Throws `CarrelError('invalid')` for what is no day or no limit. */
export async function auditLines(
  { files, clock }: Pick<SkillParts, "files" | "clock">,
  request: AuditRequest,
): Promise<readonly AuditLine[]> {
  const limit = request.limit ?? MOST_LINES;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST_LINES)
    throw invalid(`limit must be a whole number, 1 to ${MOST_LINES}.`);
  const { from, to } = daysOf(request, clock.now());
  const days = (await auditFiles(files)).filter(({ day }) => day >= from && day <= to);
  const found: AuditLine[] = [];
  for (const { day, no } of days.toReversed()) {
    const [read] = (await files.readMany({ paths: [pathOf(day, no)], layer: "own" })).files;
    const text = read && "text" in read.content ? read.content.text : "";
    for (const said of splitLines(text).toReversed()) {
      const line = lineIn(said)?.line;
      if (!line || !isAskedFor(line, request)) continue;
      found.push(line);
      if (found.length === limit) return found;
    }
  }
  return found;
}

const isAskedFor = (line: AuditLine, { target, actor, op }: AuditRequest): boolean =>
  (target === undefined || line.target === target) &&
  (actor === undefined || line.actor === actor) &&
  (op === undefined || line.op === op);

function daysOf(request: AuditRequest, now: number): { from: string; to: string } {
  const to = request.to ?? isoOf(now).slice(0, 10);
  const end = atOf(to);
  const from = request.from ?? isoOf(end - (USUAL_DAYS - 1) * DAY_MS).slice(0, 10);
  if (end - atOf(from) > MOST_DAYS * DAY_MS)
    throw invalid(`Ask for at most ${MOST_DAYS} days at a time.`);
  return { from, to };
}

function atOf(day: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isFinite(at) && isoOf(at).startsWith(day)) return at;
  throw invalid(`${JSON.stringify(day)} is not a day. Write it as 2026-12-01.`);
}

type AuditFile = { readonly day: string; readonly no: number; readonly size: number };

/** All files of the audit, the oldest first. */
async function auditFiles(files: SkillParts["files"]): Promise<AuditFile[]> {
  const found: AuditFile[] = [];
  for (const { path, size } of await listed(files)) {
    const [, day, no = "1"] = /\/(\d{4}-\d\d-\d\d)(?:-([1-9]\d{0,5}))?\.jsonl$/.exec(path) ?? [];
    if (day !== undefined) found.push({ day, no: Number(no), size });
  }
  return found.toSorted((a, b) => (a.day === b.day ? a.no - b.no : a.day < b.day ? -1 : 1));
}

async function listed(files: SkillParts["files"]): Promise<readonly FileInfo[]> {
  try {
    const request = { directory: AUDIT, layer: "own", limit: 2_000 } as const;
    return (await files.tree(request)).entries.flatMap(({ file }) => file ?? []);
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return [];
    throw error;
  }
}

const pathOf = (day: string, no: number): string =>
  `${AUDIT}/${day}${no === 1 ? "" : `-${no}`}.jsonl`;

function lineIn(
  text: string,
): { readonly line: AuditLine; readonly matched: Pick<DraftChanged, "matched"> } | null {
  try {
    const said: unknown = JSON.parse(text);
    const { data } = Line.safeParse(said);
    return data ? { line: data, matched: Matched.safeParse(said).data ?? {} } : null;
  } catch {
    return null;
  }
}
