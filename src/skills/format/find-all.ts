export type Place = { readonly start: number; readonly end: number };

/**
 * Where `wanted` stands, from left to right without overlap; `wanted` is not empty. Linear in both (Knuth, Morris and
 * Pratt, 1977), where `indexOf` may take the product of their lengths.
 */
export function findAll(text: string, wanted: string): Place[] {
  const places: Place[] = [];
  const first = text.indexOf(wanted.charAt(0));
  if (first === -1 || wanted.length > text.length) return places;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = first; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    places.push({ start: at + 1 - matched, end: at + 1 });
    matched = 0;
  }
  return places;
}

/** For each beginning of `wanted` the length of its longest proper beginning that it also ends with. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let border = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const unit = wanted.charCodeAt(at);
    while (border > 0 && wanted.charCodeAt(border) !== unit) border = borders[border - 1] ?? 0;
    if (wanted.charCodeAt(border) === unit) border += 1;
    borders[at] = border;
  }
  return borders;
}
