import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { Contents } from "../contents/contents.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import type { Held } from "./held.ts";

/** What an index is brought up to date with. */
export type UpdateParts = {
  readonly held: Held;
  readonly layers: Layers;
  readonly contents: Pick<Contents, "lines">;
  readonly clock: Clock;
  readonly log: Log;
  /** Lets other calls run. */
  readonly breathe: () => Promise<void>;
};

/** Whether a file still shows as it was when this entry was looked up. */
export const isStill = (
  { layers }: Pick<UpdateParts, "layers">,
  { path, file }: OverlayEntry<LayerFile>,
): boolean => layers.overlay().get(path)?.file.etag === file.etag;
