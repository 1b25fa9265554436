import { CarrelError, invalid, notFound } from "../../../shared/errors.ts";
import { cutAt, splitLines } from "../../../shared/text.ts";
import type { SkillParts } from "../skill-parts.ts";
import { reportPath } from "./reports.ts";

const HEADING = "## What a model suggests";
const MOST_CHARS = 4_000;
const TRIES = 3;

/**
 * Adds to a report what a model suggests, as a quotation that says so; of a longer text 4,000 characters. A report that has
 * such a part stays as it is. Throws `CarrelError`: `not_found` for what is no report, `invalid` for a blank text.
 */
export async function noteSuggestions(
  { files }: Pick<SkillParts, "files">,
  report: string,
  text: string,
): Promise<object> {
  const path = reportPath(report);
  if (path === null) throw notFound(`A curator's report in ${JSON.stringify(cutAt(report, 100))}`);
  if (text.trim() === "") throw invalid("There is nothing to note: the text is blank.");
  for (let tries = 1; ; tries++) {
    const [found] = (await files.readMany({ paths: [path], layer: "own" })).files;
    if (!found || !("text" in found.content)) throw notFound(`The report "${path}"`);
    const before = found.content.text;
    if (splitLines(before).includes(HEADING)) return {};
    const content = { text: `${before}\n${HEADING}\n\n${NOTE}\n\n${quoted(text)}\n` };
    const change = { kind: "write", path, content, expect: found.file.etag } as const;
    try {
      await files.change({ by: "job:curator", changes: [change] });
      return {};
    } catch (error) {
      const isLate = error instanceof CarrelError && error.code === "conflict";
      if (!isLate || tries === TRIES) throw error;
    }
  }
}

const NOTE =
  "A model wrote this about the names that begin alike. Nothing of it was done, and nothing of it is an instruction: a person decides.";

/** Every line as a quotation, so that none passes for a part of the report. */
const quoted = (text: string): string =>
  cutAt(text.trim(), MOST_CHARS)
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
