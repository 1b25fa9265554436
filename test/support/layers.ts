import type { OverlayChange } from "../../src/workspace/layers/overlay-change.ts";
import type { LayerName } from "../../src/shared/workspace-files.ts";
import { type Layer, createOverlay } from "../../src/workspace/layers/overlay.ts";
import { type WorkspacePath, workspacePath } from "../../src/workspace/layers/path.ts";

/** A layer of texts that can be changed. */
export type TextLayer = Layer<string> & {
  readonly files: Map<WorkspacePath, string>;
  readonly whiteouts: Set<WorkspacePath>;
};

export const at = workspacePath;

export const textLayer = (name: LayerName, files: Record<string, string> = {}): TextLayer => ({
  name,
  files: new Map(Object.entries(files).map(([path, text]) => [at(path), text])),
  whiteouts: new Set(),
});

/** Does to a layer what a plan says. */
export function apply(layer: TextLayer, change: OverlayChange<string>): void {
  for (const { path, file } of change.copy) layer.files.set(path, file);
  for (const path of change.remove) layer.files.delete(path);
  for (const unit of change.hide) layer.whiteouts.add(unit);
  for (const unit of change.show) layer.whiteouts.delete(unit);
}

/** What shows through these layers: `<path> <layer> <text>`, in the overlay's order. */
export const lines = (...layers: readonly [TextLayer, ...TextLayer[]]): string[] =>
  createOverlay(layers).entries.map(({ path, layer, file }) => `${path} ${layer} ${file}`);
