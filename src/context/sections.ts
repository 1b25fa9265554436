import { cutAt, splitLines } from "../shared/text.ts";

/** Whose text it is, which decides where it stands: what all users share first, the session's own last. */
export type Layer = "shared" | "user" | "session";

/** A block that a capability adds to the prompt, shown as `<name>…</name>`. */
export type Section = {
  /** The tag: lower-case letters, digits and `_`, unique in a prompt. */
  readonly name: string;
  readonly layer: Layer;
  /** Injected text; what it holds cannot close or open a tag. */
  readonly text: string;
  /** Shown after the text, each whole or not at all; those that do not fit are counted in a line at the end. */
  readonly entries?: readonly SectionEntry[];
  /** How many more there are, as the text says: whoever made the section had no room for them. Default 0. */
  readonly unlisted?: number;
};

/** An element with one line for each of its fields: `<skill>`, `<name>pdf</name>`, … Values are escaped, whatever is in them. */
export type SectionEntry = {
  readonly tag: string;
  readonly fields: readonly (readonly [tag: string, value: string])[];
};

export type Fit = {
  /** Most characters taken from the text. */
  readonly cap: number;
  /** Most characters of the result, indentation and notice included. */
  readonly room: number;
  readonly indent: string;
  /** The line that ends a text which was cut; `lines` is how many whole lines of it are shown. */
  notice(shown: number, total: number, lines: number): string;
};

/** A text as it is shown. `shown` of the `total` characters of its source are in it. */
export type Fitted = { readonly text: string; readonly shown: number; readonly total: number };

/** Room kept for a notice, so that saying what was cut never breaks the bound. */
export const NOTICE_ROOM = 240;

/**
 * `text`, indented, as far as it fits: cut at the end of a line, or, where that would waste most of the space,
 * inside a line between code points. Blank ends are dropped. Never more than `room` characters.
 */
export function fit(text: string, options: Fit): Fitted {
  const lines = splitLines(text.replace(/^\uFEFF/, "").trimEnd());
  const whole = take(lines, options);
  const total = Math.max(
    0,
    lines.reduce((sum, line) => sum + line.length + 1, -1),
  );
  if (whole.lines === lines.length) return { text: whole.text, shown: total, total };

  const space = { ...options, room: options.room - NOTICE_ROOM };
  const cut = withPartOfNextLine(take(lines, space), lines, space);
  const notice = cutAt(
    options.indent + options.notice(cut.source, total, cut.lines),
    NOTICE_ROOM - 1,
  );
  const shown = cut.text === "" ? notice : `${cut.text}\n${notice}`;
  return { text: cutAt(shown, Math.max(0, options.room)), shown: cut.source, total };
}

type Space = { readonly indent: string; readonly cap: number; readonly room: number };

/** What was taken: the text, how many characters of the source it holds, how many whole lines. */
type Taken = { readonly text: string; readonly source: number; readonly lines: number };

function take(lines: readonly string[], { indent, cap, room }: Space): Taken {
  const taken: string[] = [];
  let source = 0;
  let length = 0;
  for (const line of lines) {
    const indented = line.trim() === "" ? "" : indent + line;
    const separator = taken.length === 0 ? 0 : 1;
    if (source + separator + line.length > cap || length + separator + indented.length > room)
      break;
    source += separator + line.length;
    length += separator + indented.length;
    taken.push(indented);
  }
  return { text: taken.join("\n"), source, lines: taken.length };
}

function withPartOfNextLine(
  taken: Taken,
  lines: readonly string[],
  { indent, cap, room }: Space,
): Taken {
  const separator = taken.lines === 0 ? "" : "\n";
  const space =
    Math.min(cap - taken.source, room - taken.text.length - indent.length) - separator.length;
  if (taken.source > space) return taken;
  const part = cutAt(lines[taken.lines] ?? "", space);
  if (part === "") return taken;
  const text = `${taken.text}${separator}${indent}${part}`;
  return { text, source: taken.source + separator.length + part.length, lines: taken.lines };
}

/** An element with its content on lines of its own, or on one line when there is none. */
export function element(tag: string, content: string, indent: string): string {
  const body = content === "" ? "" : `\n${content}\n${indent}`;
  return `${indent}<${tag}>${body}</${tag}>`;
}
