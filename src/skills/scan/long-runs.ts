const LONG = 2_000;
const UNIT = /[A-Za-z0-9+/=_-]/;

/**
 * Where the first run of at least 2,000 units begins that are all letters, digits and what base64 has; `null`: there is
 * none. Linear: one unit in 2,000 is looked at, and what is around it only when it is one of those.
 */
export function findLongRun(text: string): number | null {
  for (let at = LONG - 1; at < text.length;) {
    let start = at;
    while (start > at - LONG && UNIT.test(text.charAt(start))) start -= 1;
    let end = at;
    while (end < text.length && end - start <= LONG && UNIT.test(text.charAt(end))) end += 1;
    if (end - start - 1 >= LONG) return start + 1;
    at = Math.max(end, at + 1) + LONG - 1;
  }
  return null;
}
