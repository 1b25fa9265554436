import type { Manifest } from "../../shared/workspace-files.ts";
import type { Contents } from "../contents/contents.ts";
import { ruleOf } from "../layers/path-rules.ts";
import type { FileRow, Rows } from "../rows.ts";
import { Heads, isSkillFile } from "./heads.ts";

type ManifestParts = {
  readonly rows: Pick<Rows, "version" | "files" | "whiteouts">;
  readonly contents: Pick<Contents, "read">;
};

/**
 * Tells what a bucket holds for the buckets above it; `unchanged` when `known` is its version. Memory and runtime files
 * never show from below, so they are not told, except for what is fetched for all. A SKILL.md comes with its head; one that
 * is damaged, or for which there is no room, without.
 */
export function createManifests({
  rows,
  contents,
}: ManifestParts): (known: number | null) => Promise<Manifest | "unchanged"> {
  const heads = new Heads();
  return async (known) => {
    for (;;) {
      const { version } = rows;
      if (known === version) return "unchanged";
      const files = [...rows.files.values()].filter(isTold);
      const whiteouts = [...rows.whiteouts.values()].filter(({ present }) => present);
      const found = await heads.of(
        files
          .filter(({ path, type }) => type === "text" && isSkillFile(path))
          .map((row) => ({
            path: row.path,
            etag: String(row.version),
            read: () => contents.read(row),
          })),
      );
      if (rows.version !== version) continue;
      return {
        version,
        files: files.map((row) => fileOf(row, found.get(row.path))),
        whiteouts: whiteouts.map(({ path }) => path),
      };
    }
  };
}

/** A file that is there; `gone` is no type of one. */
type FileThere = FileRow & { readonly type: Exclude<FileRow["type"], "gone"> };

const isTold = (row: FileRow): row is FileThere =>
  row.type !== "gone" && ruleOf(row.path).layers === "all";

function fileOf(
  { path, version, type, size, executable, at, author }: FileThere,
  head: string | undefined,
): Manifest["files"][number] {
  const file = { path, version, type, size, executable, etag: String(version), at, by: author };
  return head === undefined ? file : { ...file, head };
}
