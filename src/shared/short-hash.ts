/**
 * A hash of 53 bits in base 36, always 11 characters: names a text among the few thousand of one bucket, at once and
 * without waiting. It keeps nobody out: whoever wants two texts of one name can make them.
 */
export function shortHash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const number = 4_294_967_296 * (low & 0x1fffff) + (high >>> 0);
  return number.toString(36).padStart(11, "0");
}
