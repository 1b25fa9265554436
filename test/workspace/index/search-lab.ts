import { bucketPrefix, type BucketKey } from "../../../src/shared/bucket-key.ts";
import type { Sql } from "../../../src/shared/sql.ts";
import type { SearchHit, SearchRequest } from "../../../src/shared/workspace-api.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { WorkspaceLab, type WorkspaceLabOptions } from "../../support/workspace-lab.ts";

export const KEY = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
export const LOG = "agents/main/sessions/s1.log.jsonl";
export const DAY_MS = 86_400_000;

/** Ann's bucket, with what tests of its search say most. */
export class SearchLab extends WorkspaceLab {
  constructor(options: WorkspaceLabOptions = {}, texts: Readonly<Record<string, string>> = {}) {
    super({ ...options, template: { ...options.template, ...texts } });
  }

  change(...changes: readonly Change[]) {
    return this.workspace().change({ by: "user:ann", changes });
  }

  write(path: string, text: string) {
    return this.change({ kind: "write", path, content: { text } });
  }

  remove(path: string) {
    return this.change({ kind: "delete", path });
  }

  find(query: string, request: Partial<SearchRequest> = {}) {
    return this.workspace().search({ query, ...request });
  }

  /** What was found, as `path#line`. */
  async places(query: string, request: Partial<SearchRequest> = {}): Promise<string[]> {
    return (await this.find(query, request)).hits.map(placeOf);
  }

  /** What was found. */
  async texts(query: string, request: Partial<SearchRequest> = {}): Promise<string[]> {
    return (await this.find(query, request)).hits.map(({ snippet }) => snippet);
  }

  /** Adds messages of a user to a session's log. */
  say(path: string, ...texts: readonly string[]) {
    const lines = texts.map((text, no) => message(text, no));
    return this.change({ kind: "append", path, text: lines.join("") });
  }
}

export const placeOf = ({ path, line }: SearchHit): string => `${path}#${line}`;

/** A line of a session's log. */
export const message = (text: string, at = 0, kind: "user" | "step" = "user"): string => {
  const said = [{ type: "text", text }];
  const body = kind === "user" ? { content: said } : { parts: said };
  return `${JSON.stringify({ seq: at, turn: `t${at}`, at, kind, ...body })}\n`;
};

/** All that an index holds, whatever its numbers: files with their units, and the words of each. */
export function indexOf(sql: Sql): Readonly<Record<string, unknown>> {
  const units = new Map<number, unknown[]>();
  for (const row of sql.all<{ id: number; lengths: string; times: string; units: string }>(
    "SELECT * FROM excerpt ORDER BY id",
  )) {
    const no = Math.floor(row.id / 2 ** 24);
    const lengths = row.lengths.split(",").map(Number);
    const times = row.times.split(",");
    const shown = JSON.parse(row.units) as unknown[];
    const list = units.get(no) ?? [];
    for (const [at, unit] of shown.entries()) list.push([unit, lengths[at], times[at] ?? times[0]]);
    units.set(no, list);
  }
  sql.run("CREATE VIRTUAL TABLE temp.posting USING fts5vocab('main', 'word', 'instance')");
  const words = new Map<number, string[]>();
  for (const { term, doc } of sql.all<{ term: string; doc: number }>(
    "SELECT term, doc FROM posting",
  ))
    words.set(doc, [...(words.get(doc) ?? []), term]);
  sql.run("DROP TABLE temp.posting");
  const files = sql.all<{ path: string; no: number; etag: string; lines: number; hidden: string }>(
    "SELECT path, no, etag, lines, hidden FROM indexed ORDER BY path",
  );
  const known = new Set(files.map(({ no }) => no));
  for (const no of [...units.keys(), ...[...words.keys()].map((id) => Math.floor(id / 2 ** 24))])
    if (!known.has(no)) throw new Error(`the index holds units of no file: ${no}`);
  return Object.fromEntries(
    files.map(({ path, no, ...row }) => {
      const found = units.get(no) ?? [];
      const spelt = found.map((_, at) => (words.get(no * 2 ** 24 + at) ?? []).toSorted());
      return [path, { ...row, units: found, words: spelt }];
    }),
  );
}

/** The same index built from scratch, and taken away again. */
export async function rebuilt(lab: SearchLab, bucket: BucketKey = KEY) {
  const sql = lab.sql(bucket);
  for (const table of ["indexed", "excerpt", "word"]) sql.run(`DELETE FROM ${table}`);
  lab.restart();
  await lab.find("all");
  return indexOf(sql);
}
