import type { Sql } from "../../shared/sql.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { Rows } from "../rows.ts";
import { createLayout, type Layout } from "./layout.ts";
import {
  dropIndexed,
  dropUnits,
  hideUnits,
  loadIndex,
  writeIndexed,
  writeUnits,
  type HeldFile,
  type IndexedRow,
} from "./tables.ts";
import type { Unit } from "./units.ts";

/** What becomes of a file in the index. */
export type IndexChange =
  | { readonly kind: "drop"; readonly file: HeldFile }
  /** These lines of the file, too, are not to be found. */
  | {
      readonly kind: "hide";
      readonly file: HeldFile;
      readonly lines: ReadonlySet<number>;
      readonly hidden: string;
    }
  /** It has these units, after those of the file that it continues. */
  | {
      readonly kind: "put";
      readonly continued: HeldFile | null;
      readonly row: Omit<IndexedRow, "no">;
      readonly units: readonly Unit[];
    };

/** Since when nothing was forgotten that words of could be left. */
const REWRITTEN = "rewritten";

/** The index of a bucket in memory, over its tables: loaded at its first use, then in step with every commit. */
export class Held {
  readonly #rows: Rows;
  #files: Map<WorkspacePath, HeldFile> | null = null;
  #layout: Layout | null = null;
  #nextNo = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get files(): ReadonlyMap<WorkspacePath, HeldFile> {
    return this.#loaded();
  }

  /** The same object as long as no file changes. */
  get layout(): Layout {
    this.#layout ??= createLayout(this.#loaded().values());
    return this.#layout;
  }

  /** All of it in one transaction. Synchronous; each file is named once. */
  commit(changes: readonly IndexChange[]): void {
    if (changes.length === 0) return;
    const files = this.#loaded();
    // Should the commit fail, what is in memory is loaded anew.
    this.#files = null;
    this.#layout = null;
    const made = this.#rows.commit("index", ({ sql }) =>
      changes.map((change) => this.#apply(sql, files, change)),
    );
    this.#files = files;
    for (const [path, file] of made) {
      if (file === null) files.delete(path);
      else files.set(path, file);
    }
  }

  /** Adds units to a file, or puts them in the place of what is there; gives it as it is then. Synchronous. */
  put(continued: HeldFile | null, units: readonly Unit[], row: Omit<IndexedRow, "no">): HeldFile {
    this.commit([{ kind: "put", continued, row, units }]);
    const file = this.#loaded().get(row.path);
    if (!file) throw new Error(`"${row.path}" is not in the index`);
    return file;
  }

  /**
   * Rewrites the words, so that none stays of what has gone; once for each `since`. A word that goes is only marked so
   * until its neighbours are written anew.
   */
  rewrite(since: string): void {
    if (this.#rows.meta(REWRITTEN) === since) return;
    this.#rows.commit("index", ({ sql }) => {
      sql.run("INSERT INTO word(word) VALUES ('optimize')");
      sql.run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", REWRITTEN, since);
    });
  }

  #loaded(): Map<WorkspacePath, HeldFile> {
    if (this.#files) return this.#files;
    const files = loadIndex(this.#rows.sql);
    this.#nextNo = Math.max(0, ...[...files.values()].map(({ no }) => no)) + 1;
    this.#files = files;
    return files;
  }

  #apply(
    sql: Sql,
    files: ReadonlyMap<WorkspacePath, HeldFile>,
    change: IndexChange,
  ): readonly [WorkspacePath, HeldFile | null] {
    if (change.kind === "drop") {
      dropIndexed(sql, change.file);
      return [change.file.path, null];
    }
    if (change.kind === "hide") {
      const { file, lines, hidden } = change;
      const gone = new Set(hideUnits(sql, file.no, lines));
      const lengths = file.lengths.map((length, at) => (gone.has(at) ? 0 : length));
      const { path } = file;
      writeIndexed(sql, { ...file, hidden });
      return [path, { ...file, lengths, hidden }];
    }
    const { continued, row, units } = change;
    const before = files.get(row.path);
    if (before && !continued) dropUnits(sql, before.no);
    const no = continued?.no ?? this.#nextNo++;
    const { lengths, times } = writeUnits(sql, no, continued?.lengths.length ?? 0, units);
    writeIndexed(sql, { ...row, no });
    const facts = {
      lengths: continued ? [...continued.lengths, ...lengths] : lengths,
      times: continued ? [...continued.times, ...times] : times,
    };
    return [row.path, { ...row, no, ...facts }];
  }
}
