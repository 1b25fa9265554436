const BITS = 18;
const MASK = (1 << BITS) - 1;

const mix = (hash: number, unit: number): number => ((hash << 6) ^ unit) & MASK;

/** Capital letters of ASCII as small ones. */
const small = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit);

/**
 * Tells whether a word in small letters may be in a text, in whatever letters: `false` is certain. The text is read once,
 * for all groups of three units in it; what has fewer is looked for.
 */
export function wordFilter(text: string): (word: string) => boolean {
  const groups = new Uint8Array(MASK + 1);
  let hash = 0;
  // Three shifts by six push a unit out, so the hash is of the last three.
  for (let at = 0; at < text.length; at += 1) {
    hash = mix(hash, small(text.charCodeAt(at)));
    groups[hash] = 1;
  }
  return (word) => {
    if (word.length < 3) return text.includes(word) || text.includes(word.toUpperCase());
    let last = 0;
    for (let at = 0; at < word.length; at += 1) {
      last = mix(last, word.charCodeAt(at));
      if (at >= 2 && groups[last] === 0) return false;
    }
    return true;
  };
}
