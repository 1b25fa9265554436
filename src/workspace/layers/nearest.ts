import { nameOf } from "./path.ts";
import type { WorkspacePath } from "./path.ts";

/** Below this likeness a suggestion is noise. */
const LIKE = 0.3;

/**
 * Up to `count` of `paths` that are spelled most like `wanted`, best first, ties by path: what to offer when a
 * file does not exist. Compares last names and whole paths, without their endings and without regard to case.
 */
export function nearestPaths(
  wanted: WorkspacePath,
  paths: readonly WorkspacePath[],
  count: number,
): WorkspacePath[] {
  const whole = pairsOf(wanted);
  const name = pairsOf(nameOf(wanted));
  return paths
    .map((path) => ({
      path,
      likeness: Math.max(likeness(whole, path), likeness(name, nameOf(path))),
    }))
    .filter((candidate) => candidate.likeness >= LIKE)
    .toSorted((a, b) => b.likeness - a.likeness || (a.path < b.path ? -1 : 1))
    .slice(0, count)
    .map((candidate) => candidate.path);
}

/** How much a text is spelled like `wanted`, from 0 to 1, whatever the case: see `nearestPaths`. */
export function likenessTo(wanted: string): (other: string) => number {
  const pairs = pairsOf(wanted);
  return (other) => likeness(pairs, other);
}

/** Dice's coefficient over pairs of neighbouring characters: 0 for nothing in common, 1 for the same pairs. */
function likeness(wanted: ReadonlySet<string>, other: string): number {
  const pairs = pairsOf(other);
  let shared = 0;
  for (const pair of pairs) if (wanted.has(pair)) shared += 1;
  return (2 * shared) / (wanted.size + pairs.size);
}

function pairsOf(text: string): Set<string> {
  const framed = ` ${text.toLowerCase().replace(/\.\w+$/, "")} `;
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < framed.length; i += 1) pairs.add(framed.slice(i, i + 2));
  return pairs;
}
