import type { Clock } from "../../shared/clock.ts";
import { CarrelError } from "../../shared/errors.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import { utf8Length } from "../../shared/text.ts";
import type { Content, FileInfo, LayerName, Manifest } from "../../shared/workspace-files.ts";
import type { Contents } from "../contents/contents.ts";
import { defaultBucketLimits } from "../limits.ts";
import { createOverlay } from "./overlay.ts";
import type { Layer, Overlay, OverlayEntry } from "./overlay.ts";
import { workspacePath } from "./path.ts";
import type { WorkspacePath } from "./path.ts";
import type { FileRow, Rows } from "../rows.ts";
import type { Template, TemplateContent } from "./template.ts";

/** A file in any layer: `FileInfo` apart from where it is, the row of an own one, the head of a skill of the shared layer. */
export type LayerFile = Omit<FileInfo, "path" | "layer"> & {
  readonly row: FileRow | null;
  readonly head?: string;
};

/** The layer between a bucket and the template: another bucket, which answers for itself. */
export type SharedLayer = {
  readonly manifest: (known: number | null) => Promise<Manifest | "unchanged">;
  /** That bucket's own file, under the etag that its manifest has; with `from`, as `ReadRequest` has it. Throws `CarrelError('not_found')`. */
  readonly read: (
    path: string,
    from?: number,
  ) => Promise<{ readonly etag: string; readonly content: Content }>;
};

/** The layers of one bucket. */
export type Layers = {
  /** Brings the copy of the shared layer up to date when it is older than it may be, or `isAnew`; cheap when it is not. */
  readonly refresh: (isAnew?: boolean) => Promise<void>;
  /** What shows now. The same object as long as nothing changed. */
  readonly overlay: () => Overlay<LayerFile>;
  /** The content of a file that the overlay shows. What is missing throws; what has changed since is a conflict. */
  readonly content: (entry: OverlayEntry<LayerFile>) => Content | Promise<Content>;
  /** At most 4 MiB of a log that the overlay shows, from a byte on; otherwise as `content`. */
  readonly logPart: (entry: OverlayEntry<LayerFile>, from: number) => Content | Promise<Content>;
};

export type LayersOf = {
  readonly rows: Pick<Rows, "version" | "files" | "whiteouts">;
  readonly template: Template;
  readonly shared: SharedLayer | null;
  readonly contents: Pick<Contents, "read" | "logPart">;
  readonly clock: Pick<Clock, "now">;
  /** How old the copy of the shared manifest may be; 0 asks each time. Default 30 s. */
  readonly sharedAgeMs?: number;
  readonly log: Log;
};

type Made = {
  readonly version: number;
  readonly middle: Layer<LayerFile> | null;
  readonly overlay: Overlay<LayerFile>;
};

/** Texts of the shared layer that are kept, in bytes. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A shared layer that did not answer is left alone for so long. */
const RETRY_MS = 1_000;

/**
 * The layers over these rows. Without a first answer of the shared layer every `refresh` and `overlay` throws
 * `CarrelError('overloaded')`; later its copy stands in for it, with a line in the log each time it was asked in vain.
 */
export function createLayers(of: LayersOf): Layers {
  const { rows, template, contents, shared } = of;
  const lowest = templateLayer(template);
  const copy = shared && new SharedCopy(shared, of.clock, of.sharedAgeMs ?? 30_000, of.log);
  let made: Made | null = null;
  const rowOf = ({ path, file }: OverlayEntry<LayerFile>): FileRow => {
    const row = rows.files.get(path);
    if (!row || row.version !== file.row?.version) throw movedOn(path);
    return row;
  };

  return {
    refresh: (isAnew = false) => copy?.refresh(isAnew) ?? Promise.resolve(),
    overlay() {
      const middle = copy?.layer ?? null;
      if (made?.version !== rows.version || made.middle !== middle) {
        const layers = middle ? [middle, lowest] : [lowest];
        made = {
          version: rows.version,
          middle,
          overlay: createOverlay([ownLayer(rows), ...layers]),
        };
      }
      return made.overlay;
    },
    content(entry) {
      const { path, layer, file } = entry;
      if (layer === "template") return templateContent(template, path, file);
      if (layer === "shared" && copy) return copy.content(path, file);
      return contents.read(rowOf(entry));
    },
    logPart(entry, from) {
      const { path, layer, file } = entry;
      if (layer === "shared" && copy) return copy.logPart(path, file, from);
      return contents.logPart(rowOf(entry), from);
    },
  };
}

/** What one layer itself holds, as if there were no other. */
export function layerAlone(overlay: Overlay<LayerFile>, name: LayerName): Overlay<LayerFile> {
  const layer = overlay.layers.find((each) => each.name === name);
  return createOverlay([layer ?? { name, files: new Map(), whiteouts: new Set() }]);
}

function ownLayer(rows: Pick<Rows, "files" | "whiteouts">): Layer<LayerFile> {
  const files = new Map<WorkspacePath, LayerFile>();
  for (const row of rows.files.values()) {
    const { path, version, type, size, executable, at, author } = row;
    if (type === "gone") continue;
    files.set(path, { type, size, executable, etag: String(version), at, by: author, row });
  }
  const present = [...rows.whiteouts.values()].filter((whiteout) => whiteout.present);
  return { name: "own", files, whiteouts: new Set(present.map(({ path }) => path)) };
}

function sharedLayer({ files, whiteouts }: Manifest): Layer<LayerFile> {
  const named = files.map(({ path, version: _version, etag, ...rest }) => {
    const file = { ...rest, etag: sharedEtag(etag), row: null };
    return [workspacePath(path), file] as const;
  });
  return {
    name: "shared",
    files: new Map(named),
    whiteouts: new Set(whiteouts.map(workspacePath)),
  };
}

/** A shared bucket's own etags could be those of the bucket above it. */
const sharedEtag = (etag: string): string => `s${etag}`;

function templateLayer(template: Template): Layer<LayerFile> {
  const etag = `t${template.version.slice(0, 12)}`;
  const files = new Map<WorkspacePath, LayerFile>();
  for (const path of template.paths) {
    const content = template.read(path);
    if (content === null) throw new Error(`the template lists what it does not have: ${path}`);
    const { type, size } = kindOf(content);
    files.set(path, { type, size, executable: false, etag, at: null, by: null, row: null });
  }
  return { name: "template", files, whiteouts: new Set() };
}

function kindOf(content: TemplateContent): { type: "text" | "blob"; size: number } {
  if ("bytes" in content) return { type: "blob", size: content.bytes.length };
  const size = utf8Length(content.text);
  const isText = size <= defaultBucketLimits.textBytes && !content.text.includes("\0");
  return { type: isText ? "text" : "blob", size };
}

function templateContent(template: Template, path: WorkspacePath, file: LayerFile): Content {
  const content = template.read(path);
  if (content === null) throw new Error(`not in the template: ${path}`);
  if ("bytes" in content || file.type === "text") return content;
  return { bytes: new TextEncoder().encode(content.text) };
}

/** What is known here of the shared layer: its manifest, and some of its contents by etag. */
class SharedCopy {
  readonly #shared: SharedLayer;
  readonly #clock: Pick<Clock, "now">;
  readonly #ageMs: number;
  readonly #log: Log;
  #version: number | null = null;
  #layer: Layer<LayerFile> | null = null;
  /** Until when the copy needs no question. */
  #freshUntil = -Infinity;
  #asking: Promise<void> | null = null;
  #askingNext: Promise<void> | null = null;
  readonly #kept = new Map<string, { readonly content: Content; readonly size: number }>();
  #keptBytes = 0;

  constructor(shared: SharedLayer, clock: Pick<Clock, "now">, ageMs: number, log: Log) {
    this.#shared = shared;
    this.#clock = clock;
    this.#ageMs = ageMs;
    this.#log = log;
  }

  get layer(): Layer<LayerFile> {
    if (!this.#layer) throw unreachable();
    return this.#layer;
  }

  refresh(isAnew: boolean): Promise<void> {
    if (isAnew) return this.#askAnew();
    if (this.#layer && this.#clock.now() < this.#freshUntil) return Promise.resolve();
    return this.#ageMs === 0 ? this.#askAnew() : this.#ask();
  }

  content(path: WorkspacePath, file: LayerFile): Content | Promise<Content> {
    return this.#kept.get(keyOf(path, file.etag))?.content ?? this.#fetch(path, file);
  }

  logPart(path: WorkspacePath, file: LayerFile, from: number): Promise<Content> {
    return this.#fetch(path, file, from);
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** A question that is under way may have been answered before what the caller knows of. */
  #askAnew(): Promise<void> {
    if (!this.#asking) return this.#ask();
    this.#askingNext ??= this.#asking.then(noop, noop).then(() => {
      this.#askingNext = null;
      return this.#ask();
    });
    return this.#askingNext;
  }

  async #askOnce(): Promise<void> {
    const asked = this.#clock.now();
    try {
      const manifest = await this.#shared.manifest(this.#version);
      if (manifest !== "unchanged") {
        this.#layer = sharedLayer(manifest);
        this.#version = manifest.version;
      }
      this.#freshUntil = asked + this.#ageMs;
    } catch (error) {
      this.#log("warn", "workspace.shared_unreachable", errorFacts(error));
      this.#freshUntil = this.#clock.now() + Math.min(this.#ageMs, RETRY_MS);
    }
    if (!this.#layer) throw unreachable();
  }

  async #fetch(path: WorkspacePath, file: LayerFile, from?: number): Promise<Content> {
    const answer = await this.#read(path, from);
    if (answer && from === undefined) this.#keep(keyOf(path, answer.etag), answer.content);
    if (answer?.etag === file.etag) return answer.content;
    await this.#askAnew();
    throw this.layer.files.get(path)?.etag === file.etag ? unreachable() : movedOn(path);
  }

  /** `null` when the shared layer has no such file any more. */
  async #read(
    path: WorkspacePath,
    from: number | undefined,
  ): Promise<{ etag: string; content: Content } | null> {
    try {
      const { etag, content } = await this.#shared.read(path, from);
      return { etag: sharedEtag(etag), content };
    } catch (error) {
      if (error instanceof CarrelError && error.code === "not_found") return null;
      this.#log("warn", "workspace.shared_unreachable", errorFacts(error));
      throw error instanceof CarrelError ? error : unreachable();
    }
  }

  #keep(key: string, content: Content): void {
    const size = "text" in content ? content.text.length : content.bytes.length;
    if (size > KEPT_BYTES || this.#kept.has(key)) return;
    this.#kept.set(key, { content, size });
    this.#keptBytes += size;
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= freed;
    }
  }
}

const noop = (): void => {};

const keyOf = (path: WorkspacePath, etag: string): string => `${etag} ${path}`;

const unreachable = (): CarrelError =>
  new CarrelError("overloaded", "The shared files cannot be read just now. Try again in a moment.");

const movedOn = (path: WorkspacePath): CarrelError =>
  new CarrelError("conflict", `${JSON.stringify(path)} was changed while it was read. Try again.`);
