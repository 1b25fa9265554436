/** A path as rules look at it. */
export type SeenPath = {
  /** Its names from the root in every way in which it may be understood, `.` and `..` resolved; more than one only for odd spellings. */
  readonly spellings: readonly (readonly string[])[];
  /** Every reader takes it for the same path: an allow rule may cover it. */
  readonly isPlain: boolean;
  /** It begins at the root of the machine, or leads out of where it begins. */
  readonly isAbsolute: boolean;
  /** It ends in a slash: the directory with all below it. */
  readonly isTree: boolean;
};

/** Longer than any system opens. */
const MAX_LENGTH = 4_096;

const ODD = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\\]|^[~$]|^[a-z][a-z0-9+.-]*:|(?:^|\/)\.\.(?:\/|$)/iu;

/** How a path is understood; `null` when it is too long to be one, however it is resolved. */
export function seePath(raw: string): SeenPath | null {
  const loose = looselyRead(raw);
  const variants = loose === raw ? [raw] : [...new Set([raw, slashed(raw), decoded(raw), loose])];
  const resolved = variants.map(resolve);
  if (resolved.every(({ names }) => lengthOf(names) > MAX_LENGTH)) return null;
  return {
    spellings: resolved.map(({ names }) => names),
    isPlain: !ODD.test(raw) && resolved.every(({ isOutside }) => !isOutside),
    isAbsolute:
      variants.some((text) => text.startsWith("/")) || resolved.some((one) => one.isOutside),
    isTree: raw.endsWith("/"),
  };
}

/** What C, Windows, a shell, a browser or a careless program may make of it. */
function looselyRead(raw: string): string {
  const [beforeNul = ""] = raw.split("\0", 1);
  const local = decoded(slashed(beforeNul.trim()))
    .replace(/^file:(?:\/\/(?:localhost)?(?=\/))?/i, "")
    .replace(/^(?:~[^/]*|\$HOME|\$\{HOME\})\//, "");
  return local.normalize("NFC");
}

const slashed = (text: string): string => text.replaceAll("\\", "/");

function decoded(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text.replaceAll(/%2e/gi, ".").replaceAll(/%2f/gi, "/");
  }
}

/** `..` takes back the name before it; what would lead above the root stays at the root. */
function resolve(text: string): { readonly names: readonly string[]; readonly isOutside: boolean } {
  const names: string[] = [];
  let isOutside = false;
  for (const name of text.split("/")) {
    if (name === "..") isOutside = names.pop() === undefined || isOutside;
    else if (name !== "" && name !== ".") names.push(name);
  }
  return { names, isOutside };
}

const lengthOf = (names: readonly string[]): number =>
  names.reduce((length, name) => length + name.length + 1, 0);
