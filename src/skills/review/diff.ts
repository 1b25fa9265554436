import { structuredPatch } from "diff";
import type { CandidateFile } from "../../shared/skill-drafts.ts";
import type { DiffHunk, DiffLine } from "../../shared/skills-views.ts";

const AROUND = 3;
/** More differences than this are not looked for: the file is shown whole. */
const MOST_EDITS = 2_000;

const kinds: ReadonlyMap<string, DiffLine["kind"]> = new Map([
  [" ", "same"],
  ["+", "added"],
  ["-", "removed"],
]);

/**
 * What a file's text would change in the live one; none where both are the same. `null`: there is nothing to compare, or
 * too much is different.
 */
export function diffOf({
  text,
  live,
}: Pick<CandidateFile, "text" | "live">): readonly DiffHunk[] | null {
  if (text === null || live === null || live.text === null) return null;
  const patch = structuredPatch("", "", live.text, text, "", "", {
    context: AROUND,
    maxEditLength: MOST_EDITS,
  });
  if (!patch) return null;
  return patch.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: lines.flatMap((line) => {
      const kind = kinds.get(line.charAt(0));
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
    }),
  }));
}
