import { cutAt } from "../shared/text.ts";

/**
 * `text` when it has at most `limit` characters (UTF-16 units); else its beginning, cut between code points, and
 * a closing line that says how many of how many characters are shown. That line comes on top of the limit.
 */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = cutAt(text, limit);
  const shown = count(kept.length);
  return `${kept}\n[Cut here: ${shown} of ${count(text.length)} characters are shown.]`;
}

/** A number as people read it: `12,345`. */
export function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
