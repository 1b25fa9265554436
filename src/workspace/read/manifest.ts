import type { Manifest } from "../../shared/workspace-files.ts";
import type { Rows } from "../rows.ts";
import { ruleOf } from "../layers/path-rules.ts";

/**
 * What a bucket holds for the buckets above it; `unchanged` when `known` is its version. Memory and runtime files
 * never show from below, so they are not told.
 */
export function manifestOf(
  rows: Pick<Rows, "version" | "files" | "whiteouts">,
  known: number | null,
): Manifest | "unchanged" {
  if (known === rows.version) return "unchanged";
  const files = [...rows.files.values()].flatMap((row) => {
    const { path, version, type, size, executable, at, author } = row;
    if (type === "gone" || ruleOf(path).layers === "own") return [];
    return [{ path, version, type, size, executable, etag: String(version), at, by: author }];
  });
  const whiteouts = [...rows.whiteouts.values()].filter(({ present }) => present);
  return { version: rows.version, files, whiteouts: whiteouts.map(({ path }) => path) };
}
