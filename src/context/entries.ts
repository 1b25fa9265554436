import type { SectionEntry } from "./sections.ts";
import { element, NOTICE_ROOM } from "./sections.ts";

/** Names come from code. */
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** What ends a line for some reader, steers a terminal or the order of letters, or is seen by nobody but a model. */
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u{E0000}-\u{E007F}]+/gu;

/** Most values are such, and looked through faster. */
const PLAIN = /^[ -~]*$/;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A value on one line, without anything that could end it or hide in it. Doing it twice changes nothing. */
export const oneLine = (value: string): string =>
  (PLAIN.test(value) ? value : value.replace(HARMFUL, " ")).trim();

/** A text in which nothing is markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);

/** An entry as the prompt shows it. Throws a plain `Error` for a bad name, which is code. */
export function entryText({ tag, fields }: SectionEntry): string {
  const lines = fields.map(([name, value]) => {
    checkName(name);
    return `    <${name}>${escaped(oneLine(value))}</${name}>`;
  });
  return element(checkName(tag), lines.join("\n"), "  ");
}

function checkName(name: string): string {
  if (!NAME.test(name)) throw new Error(`not a name of an entry or field: ${JSON.stringify(name)}`);
  return name;
}

export type FittedEntries = {
  readonly text: string;
  readonly shown: number;
  readonly total: number;
  /** Characters of all of them, and of those that are shown. */
  readonly chars: number;
  readonly shownChars: number;
};

/** The first entries, each whole, as many as fit into `room` characters; a last line counts those that do not. */
export function fitEntries(entries: readonly SectionEntry[], room: number): FittedEntries {
  const texts = entries.map(entryText);
  const costs = texts.map((text) => text.length + 1);
  const chars = costs.reduce((sum, cost) => sum + cost, 0);
  const counted = { total: texts.length, chars };
  if (chars - 1 <= room)
    return { ...counted, text: texts.join("\n"), shown: texts.length, shownChars: chars };
  let shown = 0;
  let shownChars = 0;
  for (const cost of costs) {
    if (shownChars + cost > room - NOTICE_ROOM) break;
    shown += 1;
    shownChars += cost;
  }
  const notice = `  [${texts.length - shown} more are not shown here: there is no room.]`;
  const lines = notice.length <= room - shownChars ? [...texts.slice(0, shown), notice] : [];
  return { ...counted, text: lines.join("\n"), shown, shownChars };
}
