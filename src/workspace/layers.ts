import type { Content, FileInfo, Manifest } from "../shared/workspace-api.ts";
import type { Overlay, OverlayEntry } from "./overlay.ts";
import type { FileRow } from "./rows.ts";

/** A file in any layer: `FileInfo` apart from where it is, and the row of an own one. */
export type LayerFile = Omit<FileInfo, "path" | "layer"> & { readonly row: FileRow | null };

/** The layer between a bucket and the template: another bucket, which answers for itself. */
export type SharedLayer = {
  readonly manifest: (known: number | null) => Promise<Manifest | "unchanged">;
  readonly read: (path: string) => Promise<{ readonly etag: string; readonly content: Content }>;
};

/** The layers of one bucket. */
export type Layers = {
  /** Brings the copy of the shared layer up to date when it is older than it may be; cheap when it is not. */
  readonly refresh: () => Promise<void>;
  /** What shows now. The same object as long as nothing changed. */
  readonly overlay: () => Overlay<LayerFile>;
  /** The content of a file that the overlay shows. What is missing throws. */
  readonly content: (entry: OverlayEntry<LayerFile>) => Content | Promise<Content>;
};
