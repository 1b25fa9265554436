/** Where a file comes from: the bucket itself, the agent's shared bucket, the bundled template. */
export type LayerName = "own" | "shared" | "template";

/** `text`: UTF-8 of at most 1 MiB; `blob`: any other bytes; `log`: text that only grows, in segments. */
export type FileType = "text" | "blob" | "log";

/** A file as callers see it. `path` is canonical: any spelling that shows it can be sent back. */
export type FileInfo = {
  readonly path: string;
  readonly layer: LayerName;
  readonly type: FileType;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** Names what is stored now, for compare-and-set. Different layers never share one. */
  readonly etag: string;
  /** Milliseconds since the epoch; `null` for a file of the template. */
  readonly at: number | null;
  /** Who wrote it: `user:ann`, `agent:main/s1`, `job:…`, `outside`; `null` for a file of the template. */
  readonly by: string | null;
};

export type Content = { readonly text: string } | { readonly bytes: Uint8Array };

export type FileVersion = {
  readonly version: number;
  readonly etag: string;
  /** `deleted`: nothing showed then. `reset`: the own file was gone and the lower layer's showed. */
  readonly type: FileType | "deleted" | "reset";
  readonly size: number;
  readonly at: number;
  readonly by: string;
};

/** `head`: of a skill's SKILL.md, as `headOf` gives it, so that a catalogue costs no call for each of them. */
export type ManifestFile = Omit<FileInfo, "layer"> & {
  readonly version: number;
  readonly head?: string;
};

/** What a shared layer holds, for the buckets over it. */
export type Manifest = {
  readonly version: number;
  readonly files: readonly ManifestFile[];
  readonly whiteouts: readonly string[];
};
