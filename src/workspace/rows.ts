import { emptyTables } from "../shared/empty-tables.ts";
import { bucketGone } from "../shared/errors.ts";
import type { Point } from "../shared/point.ts";
import type { Sql } from "../shared/sql.ts";
import type { FileType } from "../shared/workspace-files.ts";
import type { WorkspacePath } from "./layers/path.ts";
import { bucketTables } from "./schema.ts";

/** A row of the index. `gone`: deleted here, and the store may still have it. */
export type FileRow = {
  readonly path: WorkspacePath;
  /** Rises with every change of the bucket; no two changes share one. */
  readonly version: number;
  readonly type: FileType | "gone";
  readonly size: number;
  /** `null`: not known since text was appended, or gone. */
  readonly sha256: string | null;
  readonly executable: boolean;
  readonly at: number;
  readonly author: string;
  /** Where the text is; `null` for a blob, for what is gone, and for text that only the store has so far. */
  readonly body: number | null;
  /** Since when the store lacks this version; `null` once it confirmed it. */
  readonly dirty: number | null;
  /** What the store last confirmed to hold under the file's key (of a log: of its open segment); `null`: nothing. */
  readonly tag: string | null;
  /** When the store last confirmed this row; `null`: not since it was made. */
  readonly settled: number | null;
};

/** A mark that hides a unit of the lower layers. Not `present`: taken away here, and the store may still have it. */
export type WhiteoutRow = {
  readonly path: WorkspacePath;
  readonly version: number;
  readonly at: number;
  readonly author: string;
  readonly present: boolean;
  readonly dirty: number | null;
  readonly settled: number | null;
};

/** What a file held before. `body` `null`: a blob, gone, or text that has moved to the store. */
export type VersionRow = Omit<FileRow, "dirty" | "tag" | "settled">;

/** Earlier versions of all files: how many, and their bytes. */
export type History = { readonly rows: number; readonly bytes: number };

/** A part of a log that is sealed: only the store has its text. Numbers count from 0. */
export type SegmentRow = {
  readonly path: WorkspacePath;
  readonly number: number;
  readonly size: number;
  readonly lines: number;
  readonly sha256: string;
};

/** What may be written in one commit. Rows replace those of the same key. */
export type RowsTx = {
  /** The number of this commit's next change. */
  readonly nextVersion: () => number;
  /** The next change gets a number above this one, also after a restart. */
  readonly passVersion: (version: number) => void;
  readonly putFile: (row: FileRow) => void;
  readonly dropFile: (path: WorkspacePath) => void;
  readonly putWhiteout: (row: WhiteoutRow) => void;
  readonly dropWhiteout: (path: WorkspacePath) => void;
  /** Stores a text and gives its body's number. */
  readonly newBody: (text: string) => number;
  /** Adds one row at the end of a body. */
  readonly appendPart: (body: number, text: string) => void;
  /** Drops all parts of a body, or those up to and with number `upTo`. */
  readonly dropBody: (body: number, upTo?: number) => void;
  /** Adds to the count of earlier versions what is about to be written, and gives it; in memory after the first time. */
  readonly countHistory: (rows: number, bytes: number) => History;
  readonly sql: Sql;
};

type Stored<Row> = { readonly [Key in keyof Row]: Row[Key] extends boolean ? number : Row[Key] };

/**
 * A bucket's index in memory over its tables: loaded once a wake, then kept in step with every commit. Texts stay in
 * the tables. Rows of type `gone` and whiteouts that are not present are in the maps, too.
 */
export class Rows {
  readonly sql: Sql;
  readonly #point: Point;
  readonly #files: Map<WorkspacePath, FileRow>;
  readonly #whiteouts: Map<WorkspacePath, WhiteoutRow>;
  #version: number;
  #nextBody: number;
  /** `null`: not counted yet. */
  #history: History | null = null;
  #erasedAt: number | null;

  constructor(sql: Sql, point: Point) {
    const tables = bucketTables(sql);
    this.sql = tables;
    this.#point = point;
    const files = tables.all<Stored<FileRow>>("SELECT * FROM file");
    this.#files = new Map(
      files.map((row) => [row.path, { ...row, executable: row.executable === 1 }]),
    );
    const whiteouts = tables.all<Stored<WhiteoutRow>>("SELECT * FROM whiteout");
    this.#whiteouts = new Map(
      whiteouts.map((row) => [row.path, { ...row, present: row.present === 1 }]),
    );
    const newest = [...this.#files.values(), ...this.#whiteouts.values()].map((row) => row.version);
    this.#version = Math.max(Number(this.meta("version") ?? 0), ...newest);
    const [last] = tables.all<{ body: number | null }>("SELECT max(body) AS body FROM part");
    // A number that a row still names is taken, even where its text is missing.
    const named = [...this.#files.values()].map(({ body }) => body ?? 0);
    this.#nextBody = Math.max(last?.body ?? 0, ...named) + 1;
    const erased = this.meta(ERASED);
    this.#erasedAt = erased === null ? null : Number(erased);
  }

  /** When the bucket was erased (ms); `null` while it is there. */
  get erasedAt(): number | null {
    return this.#erasedAt;
  }

  get files(): ReadonlyMap<WorkspacePath, FileRow> {
    return this.#files;
  }

  get whiteouts(): ReadonlyMap<WorkspacePath, WhiteoutRow> {
    return this.#whiteouts;
  }

  /** The number of the newest change. It never goes back: see `dropFile`. */
  get version(): number {
    return this.#version;
  }

  meta(name: string): string | null {
    const [row] = this.sql.all<{ value: string }>("SELECT value FROM meta WHERE name = ?", name);
    return row?.value ?? null;
  }

  /** A text as it is stored; `null` when no part of it is there, which is never the same as empty. */
  text(body: number): string | null {
    const parts = this.sql.all<{ text: string }>(
      "SELECT text FROM part WHERE body = ? ORDER BY no",
      body,
    );
    return parts.length === 0 ? null : parts.map((part) => part.text).join("");
  }

  /**
   * Writes all of `work` in one transaction, then shows it in memory. When `work` throws nothing has happened.
   * Synchronous. In an erased bucket only `erase` may write: everything else comes too late, and throws
   * `CarrelError('gone')`.
   */
  commit<Result>(name: string, work: (tx: RowsTx) => Result): Result {
    if (this.#erasedAt !== null && name !== "erase") throw bucketGone();
    this.#point(`commit:${name}:before`);
    const files = new Map<WorkspacePath, FileRow | null>();
    const whiteouts = new Map<WorkspacePath, WhiteoutRow | null>();
    const before = { version: this.#version, nextBody: this.#nextBody };
    let result: Result;
    try {
      result = this.sql.transaction(() => work(this.#tx(files, whiteouts)));
    } catch (error) {
      this.#version = before.version;
      this.#nextBody = before.nextBody;
      this.#history = null;
      throw error;
    }
    for (const [path, row] of files) put(this.#files, path, row);
    for (const [path, row] of whiteouts) put(this.#whiteouts, path, row);
    this.#point(`commit:${name}:after`);
    return result;
  }

  /**
   * Deletes every row, in one transaction with `work`; one stays, which says that the bucket was erased at `at` (ms).
   * Synchronous.
   */
  erase(at: number, work: (sql: Sql) => void): void {
    this.#point("commit:erase:before");
    this.sql.transaction(() => {
      emptyTables(this.sql);
      this.sql.run("INSERT INTO meta(name, value) VALUES (?, ?)", ERASED, String(at));
      work(this.sql);
    });
    this.#files.clear();
    this.#whiteouts.clear();
    this.#history = null;
    this.#erasedAt = at;
    this.#point("commit:erase:after");
  }

  #tx(
    files: Map<WorkspacePath, FileRow | null>,
    whiteouts: Map<WorkspacePath, WhiteoutRow | null>,
  ): RowsTx {
    const { sql } = this;
    return {
      sql,
      nextVersion: () => ++this.#version,
      passVersion: (version) => {
        this.#version = Math.max(this.#version, version);
        this.#forget();
      },
      putFile: (row) => {
        files.set(row.path, row);
        writeFile(sql, row);
      },
      dropFile: (path) => {
        files.set(path, null);
        this.#forget();
        sql.run("DELETE FROM file WHERE path = ?", path);
      },
      putWhiteout: (row) => {
        whiteouts.set(row.path, row);
        writeWhiteout(sql, row);
      },
      dropWhiteout: (path) => {
        whiteouts.set(path, null);
        this.#forget();
        sql.run("DELETE FROM whiteout WHERE path = ?", path);
      },
      newBody: (text) => {
        const body = this.#nextBody++;
        sql.run("INSERT INTO part(body, no, text) VALUES (?, 0, ?)", body, text);
        return body;
      },
      appendPart: (body, text) => {
        sql.run(
          "INSERT INTO part(body, no, text) SELECT ?1, coalesce(max(no), -1) + 1, ?2 FROM part WHERE body = ?1",
          body,
          text,
        );
      },
      dropBody: (body, upTo) => {
        if (upTo === undefined) sql.run("DELETE FROM part WHERE body = ?", body);
        else sql.run("DELETE FROM part WHERE body = ? AND no <= ?", body, upTo);
      },
      countHistory: (count, size) => {
        const { rows, bytes } = this.#history ?? countVersions(sql);
        this.#history = { rows: rows + count, bytes: bytes + size };
        return this.#history;
      },
    };
  }

  /** A row that goes may be the one with the highest version, so that is written down. */
  #forget(): void {
    this.sql.run(
      "INSERT INTO meta(name, value) VALUES ('version', ?1) ON CONFLICT(name) DO UPDATE SET value = ?1",
      String(this.#version),
    );
  }
}

const ERASED = "erased";

function countVersions(sql: Sql): History {
  const count = "SELECT count(*) AS rows, coalesce(sum(size), 0) AS bytes FROM version";
  return sql.all<History>(count)[0] ?? { rows: 0, bytes: 0 };
}

function put<Row>(map: Map<WorkspacePath, Row>, path: WorkspacePath, row: Row | null): void {
  if (row === null) map.delete(path);
  else map.set(path, row);
}

function writeFile(sql: Sql, row: FileRow): void {
  sql.run(
    "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    row.path,
    row.version,
    row.type,
    row.size,
    row.sha256,
    row.executable ? 1 : 0,
    row.at,
    row.author,
    row.body,
    row.dirty,
    row.tag,
    row.settled,
  );
}

function writeWhiteout(sql: Sql, row: WhiteoutRow): void {
  sql.run(
    "INSERT OR REPLACE INTO whiteout VALUES (?, ?, ?, ?, ?, ?, ?)",
    row.path,
    row.version,
    row.at,
    row.author,
    row.present ? 1 : 0,
    row.dirty,
    row.settled,
  );
}
