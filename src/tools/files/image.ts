import type { ContentPart } from "../../shared/messages.ts";

const signatures: readonly (readonly [mediaType: string, begins: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
];

/** The media type of an image that models take, by its first bytes and not by its name; `null` for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return "image/webp";
  return signatures.find(([, begins]) => head.startsWith(begins))?.[0] ?? null;
}

/** Bytes as a block of a message. */
export function imagePart(mediaType: string, bytes: Uint8Array): ContentPart {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return { type: "image", mediaType, data: btoa(pieces.join("")) };
}
