/** Numbers in [0, 1), the same for the same seed: xorshift with 32 bits (Marsaglia, 2003). */
export function seededRandom(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** `count` different items in random order, or all of them if there are fewer. */
export function sample<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const rest = [...items];
  const chosen: Item[] = [];
  while (chosen.length < count && rest.length > 0)
    chosen.push(...rest.splice(Math.floor(random() * rest.length), 1));
  return chosen;
}
