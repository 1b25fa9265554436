import { invalid, tooLarge } from "../../shared/errors.ts";
import { spellSize, utf8Length } from "../../shared/text.ts";
import type { Content, FileType } from "../../shared/workspace-files.ts";
import type { BucketLimits } from "../limits.ts";
import { quote } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { ruleOf } from "../layers/path-rules.ts";

/** Content that has been looked at: text that fits a row, or bytes for the store. `size` in bytes. */
export type Piece =
  | { readonly type: "text"; readonly text: string; readonly size: number }
  | { readonly type: "blob"; readonly bytes: Uint8Array; readonly size: number };

/** The most text that is put into one row: SQLite in a Durable Object takes 2 MB. */
export const ROW_BYTES = 1_900_000;

/**
 * Whether a file at `path` is a log, which only grows. Definitions and memory have versions and a log has none, so
 * there a file of such a name is plain text.
 */
export const isLog = (path: WorkspacePath): boolean =>
  path.endsWith(".log.jsonl") && !keepsVersions(path);

/** Whether what was at `path` before can be had back (promise W15). */
export function keepsVersions(path: WorkspacePath): boolean {
  const { kind } = ruleOf(path);
  return kind === "definition" || kind === "memory";
}

/** The type of a file with this content at `path`. Throws `CarrelError('invalid')` for a log that is not text. */
export function typeAt(path: WorkspacePath, type: Piece["type"]): FileType {
  if (!isLog(path)) return type;
  if (type === "text") return "log";
  throw invalid(`${quote(path)} is a log, which is text. Give the file another name.`);
}

/**
 * What `content` is stored as at `path`: bytes that are UTF-8 without NUL, and no longer than a text may be, are text
 * with all their bytes. Throws `CarrelError`: `too_large`, and `invalid` for `{text}` that no UTF-8 can express.
 */
export function pieceOf(path: WorkspacePath, content: Content, limits: BucketLimits): Piece {
  const most = isLog(path) ? ROW_BYTES : limits.textBytes;
  if ("text" in content) return { type: "text", ...textWithin(path, content.text, most) };
  const { bytes } = content;
  if (!(bytes instanceof Uint8Array))
    throw invalid(`Send the content of ${quote(path)} as text or bytes.`);
  const size = bytes.byteLength;
  const text = size <= most ? textOf(bytes) : null;
  if (text !== null) return { type: "text", text, size };
  if (isLog(path) && size <= most) typeAt(path, "blob");
  if (size > limits.blobBytes || isLog(path))
    throw tooLarge(quote(path), spellSize(isLog(path) ? most : limits.blobBytes));
  return { type: "blob", bytes, size };
}

/** A text and its size. Throws `CarrelError` as `pieceOf` does. */
export function textWithin(
  path: WorkspacePath,
  text: string,
  most: number,
): { readonly text: string; readonly size: number } {
  if (typeof text !== "string" || !text.isWellFormed())
    throw invalid(`The text for ${quote(path)} holds half a character. Send whole Unicode.`);
  if (text.includes("\0"))
    throw invalid(`The text for ${quote(path)} holds NUL. Send it as bytes instead.`);
  const size = utf8Length(text);
  if (size > most) throw tooLarge(`The text of ${quote(path)}`, spellSize(most));
  return { text, size };
}

/** What a lower layer holds, as bytes where it could not be a text here. */
export function pieceOfLower(path: WorkspacePath, content: Content, limits: BucketLimits): Piece {
  const isBytes = "bytes" in content || content.text.includes("\0");
  if (isBytes || utf8Length(content.text) > limits.textBytes) {
    const bytes = "bytes" in content ? content.bytes : new TextEncoder().encode(content.text);
    return pieceOf(path, { bytes }, limits);
  }
  return pieceOf(path, content, limits);
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
