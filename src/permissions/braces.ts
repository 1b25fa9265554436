const MAX_ALTERNATIVES = 64;

/** All texts that a pattern with `{a,b}` stands for; `null` when a brace is left open or there are more than 64. */
export function expandBraces(pattern: string): readonly string[] | null {
  const reader = { chars: Array.from(pattern), at: 0 };
  return expandUpTo(reader, 0);
}

type Reader = { readonly chars: readonly string[]; at: number };

/** Up to the end, or inside a group up to its comma or brace. */
function expandUpTo(reader: Reader, depth: number): readonly string[] | null {
  let found: readonly string[] = [""];
  for (; reader.at < reader.chars.length; reader.at += 1) {
    const char = reader.chars[reader.at] ?? "";
    if (depth > 0 && (char === "," || char === "}")) return found;
    let next: readonly string[] | null = [char];
    if (char === "\\") {
      reader.at += 1;
      next = [char + (reader.chars[reader.at] ?? "")];
    } else if (char === "{") {
      next = expandGroup(reader, depth + 1);
    }
    if (next === null || found.length * next.length > MAX_ALTERNATIVES) return null;
    const ends = next;
    found = found.flatMap((text) => ends.map((end) => text + end));
  }
  return depth === 0 ? found : null;
}

/** From the opening brace to the closing one, at which the reader is left. */
function expandGroup(reader: Reader, depth: number): readonly string[] | null {
  const options: string[] = [];
  while (reader.chars[reader.at] !== "}") {
    reader.at += 1;
    const option = expandUpTo(reader, depth);
    if (option === null || options.length + option.length > MAX_ALTERNATIVES) return null;
    options.push(...option);
  }
  return options;
}
