import type { Content } from "../../shared/workspace-files.ts";

/** Bytes as a skill's file has them: text where they are UTF-8 without NUL, with a byte order mark that they begin with. */
export function contentOf(bytes: Uint8Array): Content {
  if (bytes.includes(0)) return { bytes };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes };
  }
}

export const bytesOf = (content: Content): Uint8Array =>
  "text" in content ? new TextEncoder().encode(content.text) : content.bytes;
