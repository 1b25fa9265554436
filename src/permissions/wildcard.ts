/** A pattern ready to be compared: characters, and where anything may stand. */
export type Wildcard = readonly (string | typeof ONE | typeof RUN)[];

/** Any one character. */
export const ONE = 1;
/** Any characters, or none. */
export const RUN = 2;

/** A pattern in which each `*` stands for any characters, and nothing else is special. */
export const parseStars = (pattern: string): Wildcard =>
  Array.from(pattern, (char) => (char === "*" ? RUN : char));

/** Whether the whole `text` fits. Takes time of both lengths multiplied at most, whatever the pattern. */
export function fits(wildcard: Wildcard, text: string): boolean {
  const chars = Array.from(text);
  let at = 0;
  let piece = 0;
  // Where the last run began, and up to where it was taken to reach.
  let run = -1;
  let reach = 0;
  while (at < chars.length) {
    const expected = wildcard[piece];
    if (expected === RUN) {
      run = piece;
      reach = at;
      piece += 1;
    } else if (expected !== undefined && (expected === ONE || expected === chars[at])) {
      piece += 1;
      at += 1;
    } else if (run >= 0) {
      reach += 1;
      at = reach;
      piece = run + 1;
    } else {
      return false;
    }
  }
  while (wildcard[piece] === RUN) piece += 1;
  return piece === wildcard.length;
}
