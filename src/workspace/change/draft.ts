import type { FileInfo, FileType } from "../../shared/workspace-files.ts";
import { ChangeTree } from "./tree.ts";
import { infoOf } from "../read/file-info.ts";
import type { LayerFile } from "../layers/layers.ts";
import { createOverlay } from "../layers/overlay.ts";
import type { Layer, Overlay, OverlayEntry } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow, Rows } from "../rows.ts";
import type { Signature } from "../versions.ts";

/** A text that is to be stored: the body of a row that is there, if any, and then these parts. */
export type DraftBody = {
  readonly base: FileRow | null;
  readonly parts: readonly (() => string)[];
};

/** An own file as it is to be. `body` is `null` for a blob. */
export type DraftFile = {
  readonly type: FileType;
  readonly size: number;
  readonly sha256: string | null;
  readonly executable: boolean;
  readonly body: DraftBody | null;
  /** Keeps what was there before, whatever kind of path it is. */
  readonly keepBefore?: boolean;
};

export type Drafted = Signature &
  (
    | { readonly is: "file"; readonly file: DraftFile }
    | { readonly is: "gone"; readonly why: "deleted" | "reset" }
  );

/** What shows, as far as a write must know. */
export type View = Pick<Overlay<LayerFile>, "layers" | "get" | "under">;

/**
 * The own layer with changes that are not written yet; later changes see earlier ones. It holds only as long as
 * nothing else changes the bucket, so it is made and written without an await in between.
 */
export class ChangeDraft {
  readonly files = new Map<WorkspacePath, Drafted>();
  /** Units, and whether they are to be hidden. */
  readonly whiteouts = new Map<WorkspacePath, Signature & { readonly present: boolean }>();
  readonly at: number;
  readonly #author: string;
  readonly #rows: Pick<Rows, "files" | "version">;
  readonly #base: () => Overlay<LayerFile>;
  /** Version numbers that were given so far, from `rows.version` on. */
  numbers = 0;
  /** What shows now; `null` when it must be made again. */
  #laid: Overlay<LayerFile> | null = null;
  /** The same, but for the files of `layers`. */
  #shown: { layers: Overlay<LayerFile>["layers"]; tree: ChangeTree<LayerFile> } | null = null;

  constructor(
    rows: Pick<Rows, "files" | "version">,
    base: () => Overlay<LayerFile>,
    by: { at: number; author: string },
  ) {
    this.#rows = rows;
    this.#base = base;
    this.at = by.at;
    this.#author = by.author;
  }

  get isEmpty(): boolean {
    return this.files.size === 0 && this.whiteouts.size === 0;
  }

  /** The own file at `path`. */
  own(path: WorkspacePath): DraftFile | null {
    const drafted = this.files.get(path);
    if (drafted) return drafted.is === "file" ? drafted.file : null;
    const row = this.#rows.files.get(path);
    if (!row || row.type === "gone") return null;
    const { type, size, sha256, executable } = row;
    const body = type === "blob" ? null : { base: row, parts: [] };
    return { type, size, sha256, executable, body };
  }

  /** What shows at `path`; without a look at other layers where the file is own. */
  entry(path: WorkspacePath): OverlayEntry<LayerFile> | null {
    const drafted = this.files.get(path);
    if (drafted?.is === "file") return entryOf(path, drafted.file, drafted);
    const row = drafted ? undefined : this.#rows.files.get(path);
    const own = row && this.own(path);
    return row && own ? entryOf(path, own, row) : this.view().get(path);
  }

  info(path: WorkspacePath): FileInfo | null {
    const entry = this.entry(path);
    return entry && infoOf(entry);
  }

  /** What shows, for `planWrite`. */
  view(): View {
    if (this.isEmpty) return this.#base();
    if (!this.#shown) {
      const { layers, entries } = this.full();
      this.#shown = { layers, tree: new ChangeTree(entries) };
    }
    const { layers, tree } = this.#shown;
    return { layers, get: (path) => tree.get(path), under: (path) => tree.under(path) };
  }

  /** What shows, whole. */
  full(): Overlay<LayerFile> {
    if (this.isEmpty) return this.#base();
    if (!this.#laid) {
      const [top, ...lower] = this.#base().layers;
      this.#laid = createOverlay([this.#own(top), ...lower]);
    }
    return this.#laid;
  }

  /** Puts a file where `planWrite` says it may be. */
  put(path: WorkspacePath, file: DraftFile): void {
    const signature = this.#sign();
    this.files.set(path, { is: "file", file, ...signature });
    this.#laid = null;
    this.#shown?.tree.add(entryOf(path, file, signature));
  }

  /** Takes the own file away. Where there was none, says only that from now on nothing of the bucket is there. */
  remove(path: WorkspacePath, why: "deleted" | "reset"): void {
    this.files.set(path, { is: "gone", why, ...this.#sign() });
    this.layAgain();
  }

  /** Hides a unit of the lower layers, or shows it again. */
  whiteout(unit: WorkspacePath, present: boolean): void {
    this.whiteouts.set(unit, { present, ...this.#sign() });
    this.layAgain();
  }

  /** For a file that was put where the rest of its unit is not copied up, so that it does not show any more. */
  layAgain(): void {
    this.#laid = null;
    this.#shown = null;
  }

  #sign(): Signature {
    this.numbers += 1;
    return { version: this.#rows.version + this.numbers, at: this.at, author: this.#author };
  }

  #own(top: Layer<LayerFile>): Layer<LayerFile> {
    const files = new Map(top.files);
    for (const [path, drafted] of this.files) {
      if (drafted.is === "file") files.set(path, entryOf(path, drafted.file, drafted).file);
      else files.delete(path);
    }
    const whiteouts = new Set(top.whiteouts);
    for (const [unit, { present }] of this.whiteouts) {
      if (present) whiteouts.add(unit);
      else whiteouts.delete(unit);
    }
    return { name: top.name, files, whiteouts };
  }
}

function entryOf(
  path: WorkspacePath,
  { type, size, executable }: DraftFile,
  { version, at, author }: Signature,
): OverlayEntry<LayerFile> {
  const etag = String(version);
  return { path, layer: "own", file: { type, size, executable, etag, at, by: author, row: null } };
}
