import { invalid } from "../../shared/errors.ts";
import type { Within } from "../../shared/workspace-api.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import type { LayerFile } from "../layers/layers.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";

/** A file as callers see it. */
export function infoOf({ path, layer, file }: OverlayEntry<LayerFile>): FileInfo {
  const { type, size, executable, etag, at, by } = file;
  return { path, layer, type, size, executable, etag, at, by };
}

/** Whether a path lies below one of these names of the root, or with `not` below none of them. */
export function liesWithin(within: Within | undefined, path: WorkspacePath): boolean {
  if (within === undefined) return true;
  const [top = ""] = path.split("/", 1);
  return "not" in within ? !within.not.includes(top) : within.includes(top);
}

/** `value`, or `otherwise` when it was not given. Throws `CarrelError('invalid')` when it is no whole number in the range. */
export function numberIn(
  name: string,
  value: number | undefined,
  otherwise: number,
  range: readonly [number, number],
): number {
  const number = value ?? otherwise;
  const [least, most] = range;
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
  const upTo = most === Number.MAX_SAFE_INTEGER ? "or more" : `to ${most}`;
  throw invalid(`${name} must be a whole number, ${least} ${upTo}.`);
}
