import type { ScanFinding } from "../../shared/skill-facts.ts";

type Kind = { readonly rule: "program" | "archive"; readonly name: string; readonly magic: string };

/** By their first bytes, in hex. */
const kinds: readonly Kind[] = [
  { rule: "program", name: "ELF program", magic: "7f454c46" },
  { rule: "program", name: "Windows program", magic: "4d5a" },
  { rule: "program", name: "Mach-O program", magic: "feedface" },
  { rule: "program", name: "Mach-O program", magic: "feedfacf" },
  { rule: "program", name: "Mach-O program", magic: "cefaedfe" },
  { rule: "program", name: "Mach-O program", magic: "cffaedfe" },
  { rule: "program", name: "Mach-O program or Java class", magic: "cafebabe" },
  { rule: "program", name: "WebAssembly program", magic: "0061736d" },
  { rule: "archive", name: "ZIP archive", magic: "504b0304" },
  { rule: "archive", name: "ZIP archive", magic: "504b0506" },
  { rule: "archive", name: "gzip archive", magic: "1f8b" },
  { rule: "archive", name: "bzip2 archive", magic: "425a68" },
  { rule: "archive", name: "xz archive", magic: "fd377a585a00" },
  { rule: "archive", name: "Zstandard archive", magic: "28b52ffd" },
  { rule: "archive", name: "7-Zip archive", magic: "377abcaf271c" },
  { rule: "archive", name: "RAR archive", magic: "526172211a07" },
];

const TAR_AT = 257;

/** Compiled Python, and libraries by their names: what no magic number tells. */
const COMPILED =
  /\.(?:py[cod]|so(?:\.\d+)*|dll|dylib|node|class|jar|wasm|exe|com|scr|msi|deb|rpm|apk|dmg|pkg)$/i;

/** What a file of bytes is, when nobody can read what it does; `null`: nothing of that kind. */
export function judgeBinary(
  path: string,
  bytes: Uint8Array,
  executable: boolean,
): Pick<ScanFinding, "rule" | "why" | "excerpt"> | null {
  const head = hexOf(bytes.subarray(0, 8));
  const isTar = hexOf(bytes.subarray(TAR_AT, TAR_AT + 5)) === "7573746172";
  const kind = kinds.find(({ magic }) => head.startsWith(magic));
  const excerpt = (name: string) => `${name}, ${bytes.byteLength} bytes`;
  if (kind?.rule === "archive" || isTar)
    return {
      rule: "archive",
      why: "What is in an archive was not looked at.",
      excerpt: excerpt(kind?.name ?? "tar archive"),
    };
  if (kind || COMPILED.test(path) || (executable && !head.startsWith("2321")))
    return {
      rule: "program",
      why: "What a compiled program does cannot be read.",
      excerpt: excerpt(kind?.name ?? "compiled program"),
    };
  return null;
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const PROBE_BYTES = 8_192;

/** Bytes as text where a program may read them so, faults and all; `null` for what only a machine reads. */
export function textOfBytes(bytes: Uint8Array): string | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const isScript = first === 0x23 && second === 0x21;
  if (!isScript && bytes.subarray(0, PROBE_BYTES).includes(0)) return null;
  return new TextDecoder().decode(bytes);
}
