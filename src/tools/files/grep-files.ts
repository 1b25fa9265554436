import * as z from "zod";
import { withoutMarks } from "../../shared/memory-marks.ts";
import type { GrepAnswer, GrepHit } from "../../shared/workspace-api.ts";
import { defineTool } from "../define-tool.ts";
import { count } from "../truncate.ts";
import { fitting } from "./bounded.ts";
import { pathInput, placeInput } from "./path-input.ts";

/** Finds lines by their text. */
export const grepFiles = defineTool({
  name: "grep_files",
  description:
    "Finds lines in the text files of the workspace: literal text, or with regex a regular expression (RE2, without backreferences and lookaround).",
  input: z.strictObject({
    pattern: z.string().min(1),
    path: placeInput,
    glob: z.string().min(1).optional().describe("Only files whose paths match, such as *.md."),
    regex: z.boolean().default(false).describe("Default: false, the pattern is literal."),
    ignore_case: z.boolean().default(false).describe("Default: false."),
    context: z.int().min(0).max(10).default(0).describe("Lines around each match. Default: 0."),
    limit: z.int().min(1).max(1_000).default(200).describe("Matches at most. Default: 200."),
    after: pathInput.optional().describe("Only files that come after this path, to go on."),
  }),
  effect: "read",
  replay: "pure",
  subjects: ({ path }) => ({ within: [path] }),
  async run({ glob, ignore_case, after, ...request }, { workspace }) {
    const answer = await workspace.grep({
      ...request,
      caseSensitive: !ignore_case,
      ...(glob === undefined ? {} : { glob }),
      ...(after === undefined ? {} : { from: after }),
    });
    const blocks = blocksOf(answer.hits, request.context > 0);
    const shown = fitting(blocks);
    const end = closing(answer, shown, blocks.length);
    const notes = [partly(answer.longLines), end].filter((note) => note !== null);
    return [
      ...(blocks.length === 0 ? ["No matches found"] : blocks.slice(0, shown)),
      ...notes,
    ].join("\n");
  },
});

/** One block a hit: `path:line:text`, and with context `path-line-text` around it, as grep writes them. */
function blocksOf(hits: readonly GrepHit[], hasContext: boolean): string[] {
  return hits.map(({ path, line, text, before, after }, index) => {
    const near = (lines: readonly string[], first: number) =>
      lines.map((shown, offset) => `${path}-${first + offset}-${unmarked(shown)}`);
    return [
      ...(hasContext && index > 0 ? ["--"] : []),
      ...near(before, line - before.length),
      `${path}:${line}:${unmarked(text)}`,
      ...near(after, line + 1),
    ].join("\n");
  });
}

/** A line without marks of where it comes from, also those that the cut of a long line has halved. */
const unmarked = (line: string): string =>
  withoutMarks(line)
    .replace(/^…[^<>]*\} -->/, "…")
    .replace(/<!-- carrel: \{[^<>]*…$/, "…");

/** How many lines were too long for the expression; `null` when none was. */
function partly(longLines: number): string | null {
  if (longLines === 0) return null;
  const lines = longLines === 1 ? "1 line is" : `${count(longLines)} lines are`;
  return `[${lines} too long: only the beginning was searched for the expression. Literal text is found anywhere.]`;
}

/** Why there may be more, and how to get it; `null` when there is no more. */
function closing(answer: GrepAnswer, shown: number, found: number): string | null {
  const { hits, cut, next } = answer;
  if (shown === found && cut === null) return null;
  if (shown === found && cut === "bytes")
    return `[Only part of the files was searched. Go on with after=${JSON.stringify(next ?? "")}.]`;
  const head = `[Cut here: ${count(shown)} matches are shown and there are more.`;
  const last = hits[shown - 1]?.path;
  // The last file may have more matches, so its turn comes again.
  const whole = hits.slice(0, shown).findLast((hit) => hit.path !== last)?.path;
  if (whole === undefined) return `${head} Use a narrower pattern or a higher limit.]`;
  return `${head} Go on with after=${JSON.stringify(whole)}, or use a narrower pattern, path or glob.]`;
}
