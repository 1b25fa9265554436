import { expandBraces } from "./braces.ts";
import { fits, meet, ONE, type Piece, RUN, type Wildcard, wildcardOf } from "./wildcard.ts";

/** Any number of directories. */
export const DEEP = 0;

/** A name that fits, or any number of directories. */
export type Segment = Wildcard | typeof DEEP;

/** A path glob. */
export type PathPattern = {
  readonly alternatives: readonly (readonly Segment[])[];
  /** It begins with a slash. */
  readonly isAbsolute: boolean;
  /** How many there are in all alternatives, and how many characters are in them. */
  readonly segments: number;
  readonly pieces: number;
};

/**
 * A glob for paths from the root: `*` and `?` inside a name, `**` for any number of directories, `{a,b}`, and a
 * backslash before a character that is meant itself. A slash at the end means all that is below. `null` for one that
 * can match nothing that is meant: `..`, a brace left open, more than 64 alternatives.
 */
export function parsePathPattern(text: string): PathPattern | null {
  const alternatives = expandBraces(text)?.map(parseAlternative);
  if (!alternatives || alternatives.includes(null)) return null;
  const segments = alternatives.filter((one) => one !== null);
  return {
    alternatives: segments,
    isAbsolute: text.startsWith("/"),
    segments: segments.flat().length,
    pieces: countPieces(segments),
  };
}

/** Characters of patterns, at least one for each name. */
export const countPieces = (alternatives: readonly (readonly Segment[])[]): number =>
  alternatives
    .flat()
    .reduce<number>((sum, one) => sum + (one === DEEP ? 1 : one.pieces.length + 1), 0);

function parseAlternative(text: string): readonly Segment[] | null {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) return null;
  const segments = names.map(parseName);
  return text.endsWith("/") && segments.at(-1) !== DEEP ? [...segments, DEEP] : segments;
}

/** One name of a glob. */
function parseName(name: string): Segment {
  if (name === "**") return DEEP;
  const chars = Array.from(name);
  const pieces: Piece[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    const escaped = char === "\\" ? chars[at + 1] : undefined;
    if (escaped !== undefined) at += 1;
    pieces.push(escaped ?? (char === "*" ? RUN : char === "?" ? ONE : char));
  }
  return wildcardOf(pieces);
}

/** Whether the pattern means this path itself. `**` at its end needs something below what stands before it. */
export const meansPath = (pattern: PathPattern, names: readonly string[]): boolean =>
  pattern.alternatives.some((segments) => {
    const strict: readonly Segment[] =
      segments.at(-1) === DEEP ? [...segments, wildcardOf([RUN])] : segments;
    return follow(strict, names)[strict.length] === true;
  });

/** The same, and for `**` at its end the directory before it too. */
export const reachesPath = (pattern: PathPattern, names: readonly string[]): boolean =>
  pattern.alternatives.some((segments) => follow(segments, names)[segments.length] === true);

/** The same for names that are patterns themselves: whether they may stand for such a path. */
export const mayReachPath = (pattern: PathPattern, names: readonly Segment[]): boolean =>
  pattern.alternatives.some((segments) => follow(segments, names)[segments.length] === true);

/** Whether the pattern means everything below this directory. */
export const meansAllBelow = (pattern: PathPattern, names: readonly string[]): boolean =>
  pattern.alternatives.some(
    (segments) => segments.at(-1) === DEEP && follow(segments, names)[segments.length - 1] === true,
  );

/** Whether something below this directory could be meant. */
export const mayReachBelow = (pattern: PathPattern, names: readonly string[]): boolean =>
  pattern.alternatives.some((segments) => follow(segments, names).includes(true));

/**
 * The same for what may be a directory or a file: only if a name that the pattern spells out lies on the way. So a
 * directory `secret` leads to what a pattern wants in any `secret`, but `notes` does not lead to a `.env` anywhere.
 */
export const leadsTo = (pattern: PathPattern, names: readonly string[]): boolean =>
  pattern.alternatives.some((segments) => {
    const first = segments.findIndex((segment) => segment !== DEEP && !isAnyName(segment));
    return follow(segments, names).includes(true, first + 1);
  });

const isAnyName = (segment: Wildcard): boolean =>
  segment.pieces.every((piece) => piece === RUN || piece === ONE);

/** For each place in the pattern, its end included: whether the names lead there. */
function follow(segments: readonly Segment[], names: readonly (string | Segment)[]): boolean[] {
  let reached = skipDeep(segments, [true]);
  for (const name of names) {
    const next: boolean[] = [];
    if (name === DEEP) {
      const first = reached.indexOf(true);
      for (let at = Math.max(first, 0); at <= segments.length; at += 1) next[at] = first >= 0;
      reached = next;
      continue;
    }
    for (const [at, segment] of segments.entries()) {
      if (reached[at] !== true) continue;
      if (segment === DEEP) next[at] = true;
      else if (typeof name === "string" ? fits(segment, name) : mayMeet(segment, name))
        next[at + 1] = true;
    }
    if (next.length === 0) return [];
    reached = skipDeep(segments, next);
  }
  return reached;
}

/** `**` may stand for no directory. */
function skipDeep(segments: readonly Segment[], reached: boolean[]): boolean[] {
  for (const [at, segment] of segments.entries())
    if (segment === DEEP && reached[at] === true) reached[at + 1] = true;
  return reached;
}

/** What a shell puts in the place of a pattern begins with a dot only where the pattern does. */
const mayMeet = (segment: Wildcard, name: Wildcard): boolean =>
  (segment.pieces[0] !== "." || name.pieces[0] === ".") && meet(segment, name);
