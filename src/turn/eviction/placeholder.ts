import { cutAt } from "../../shared/text.ts";
import { count } from "../../tools/truncate.ts";

/** So much of one line `read_file` always shows. */
const SHOWN_LINE = 25_000;

export type Placeholder = {
  readonly tool: string;
  readonly text: string;
  /** The files that have the text, in order; at least one. */
  readonly paths: readonly string[];
  /** How many of its characters they have. */
  readonly kept: number;
  /** Characters of the beginning, and of the end, that are shown: at most half of the text each. */
  readonly preview: number;
};

/** What the model is shown in place of a text that went to a file: where it is, and its two ends. */
export function placeholder({ tool, text, paths, kept, preview }: Placeholder): string {
  const [path = "", ...others] = paths;
  const most = Math.min(preview, Math.floor(text.length / 2));
  const head = cutAt(text, most);
  const tail = endOf(text, most);
  const left = text.length - head.length - tail.length;
  const all = kept === text.length ? "All of it is" : `Its first ${count(kept)} characters are`;
  const where =
    others.length === 0 ? path : `${paths.length} files, from ${path} to ${others.at(-1) ?? path}`;
  const notice = [
    `The result of ${tool} is too long for the conversation: it has ${count(text.length)} characters.`,
    `${all} in ${where}. Read on with read_file, path="${path}".`,
    ...(hasLongLine(text) ? ["Find places in its longest lines with grep_files."] : []),
    ...(most > 0
      ? [`Here are its first ${count(head.length)} and its last ${count(tail.length)} characters.`]
      : []),
  ];
  const lines = [
    `[${notice.join(" ")}]`,
    head,
    left > 0 ? `[… ${count(left)} characters are left out here …]` : "",
    tail,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** Whether there is a line that `read_file` shows the beginning of, and no more. */
function hasLongLine(text: string): boolean {
  for (let from = 0; text.length - from > SHOWN_LINE;) {
    const end = text.lastIndexOf("\n", from + SHOWN_LINE);
    if (end < from) return true;
    from = end + 1;
  }
  return false;
}

/** The longest end of `text` that has at most `limit` units and does not begin inside a surrogate pair. */
function endOf(text: string, limit: number): string {
  const end = limit <= 0 ? "" : text.slice(-limit);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}
