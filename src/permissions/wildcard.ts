/** A pattern ready to be compared: characters, and where anything may stand. */
export type Wildcard = {
  readonly pieces: readonly Piece[];
  /** The texts between its runs, the empty ones at its ends too; `null` with a `ONE` in it. */
  readonly texts: readonly string[] | null;
};

export type Piece = string | typeof ONE | typeof RUN;

/** Any one character. */
export const ONE = 1;
/** Any characters, or none. */
export const RUN = 2;

/** A pattern of single characters and what may stand for others. */
export function wildcardOf(pieces: readonly Piece[]): Wildcard {
  const texts = [""];
  for (const piece of pieces) {
    if (piece === ONE) return { pieces, texts: null };
    if (piece === RUN) texts.push("");
    else texts.push((texts.pop() ?? "") + piece);
  }
  return { pieces, texts };
}

/** A pattern in which each `*` stands for any characters, and nothing else is special. */
export const parseStars = (pattern: string): Wildcard =>
  wildcardOf(Array.from(pattern, (char) => (char === "*" ? RUN : char)));

/** Its characters, without what may stand for others. */
export const lettersOf = ({ pieces }: Wildcard): string =>
  pieces.filter((piece) => typeof piece === "string").join("");

/** Whether the whole `text` fits. Takes time of both lengths multiplied only for a pattern with a `ONE`. */
export const fits = (wildcard: Wildcard, text: string): boolean =>
  wildcard.texts ? hasInOrder(wildcard.texts, text) : fitsPieces(wildcard.pieces, text);

/** Begins with the first, ends with the last, and has the others in between, one behind the other. */
function hasInOrder(texts: readonly string[], text: string): boolean {
  const [first = "", ...others] = texts;
  const last = others.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const other of others) {
    const found = text.indexOf(other, at);
    if (found < 0) return false;
    at = found + other.length;
  }
  return at <= end;
}

function fitsPieces(pieces: readonly Piece[], text: string): boolean {
  const chars = Array.from(text);
  let at = 0;
  let piece = 0;
  // Where the last run began, and up to where it was taken to reach.
  let run = -1;
  let reach = 0;
  while (at < chars.length) {
    const expected = pieces[piece];
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
  while (pieces[piece] === RUN) piece += 1;
  return piece === pieces.length;
}

/** Whether some text fits both. Takes time of both lengths multiplied. */
export function meet(a: Wildcard, b: Wildcard): boolean {
  let reached = skipRuns(b.pieces, [true]);
  for (const piece of a.pieces) {
    const next: boolean[] = [];
    for (let at = 0; at <= b.pieces.length; at += 1) {
      if (piece === RUN && (reached[at] === true || next[at - 1] === true)) next[at] = true;
      const other = b.pieces[at];
      if (piece === RUN || reached[at] !== true || other === undefined) continue;
      if (other === RUN) next[at] = true;
      else if (piece === ONE || other === ONE || piece === other) next[at + 1] = true;
    }
    if (next.length === 0) return false;
    reached = skipRuns(b.pieces, next);
  }
  return reached[b.pieces.length] === true;
}

/** A run may stand for nothing. */
function skipRuns(pieces: readonly Piece[], reached: boolean[]): boolean[] {
  for (const [at, piece] of pieces.entries())
    if (piece === RUN && reached[at] === true) reached[at + 1] = true;
  return reached;
}
