const CHARACTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([^])|([^]))/g;

/** What `$'…'` means in bash: it ends at a NUL. */
export function decodeAnsi(text: string): string {
  const decoded = text.replaceAll(ESCAPE, (_, ...found: (string | undefined)[]) => {
    const [byte, short, long, octal, control, char = ""] = found;
    const hex = byte ?? short ?? long;
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    if (octal !== undefined) return characterOf(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return characterOf(control.charCodeAt(0) & 0x1f);
    return (Object.hasOwn(CHARACTERS, char) ? CHARACTERS[char] : undefined) ?? char;
  });
  return decoded.split("\0", 1)[0] ?? "";
}

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
