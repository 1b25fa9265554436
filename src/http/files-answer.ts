import type { Content, FileInfo } from "../shared/workspace-files.ts";
import { mediaTypeOf } from "../tools/media-type.ts";
import { hasAlready } from "./files-query.ts";

const TEXT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  ics: "text/calendar",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/x-ndjson",
  md: "text/markdown",
  mjs: "text/javascript",
  svg: "image/svg+xml",
  toml: "application/toml",
  tsv: "text/tab-separated-values",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/** What a browser may show in place: nothing here runs scripts. Everything else is offered as a download. */
const PASSIVE =
  /^(?:text\/(?:plain|markdown|csv|tab-separated-values|calendar)|application\/(?:json|x-ndjson|toml|yaml)|(?:image\/(?!svg)|audio\/|video\/))/;

/** The media type of a file by its name and by what it holds: only text has a charset, and only text is text. */
export function contentTypeOf({ path, type }: Pick<FileInfo, "path" | "type">): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const known = Object.hasOwn(TEXT_TYPES, ending) ? TEXT_TYPES[ending] : undefined;
  return type === "blob" ? (known ?? mediaTypeOf(path)) : `${known ?? "text/plain"}; charset=utf-8`;
}

/** No page, and no proxy, gets anything from a file but the bytes: it is a user's, so it may hold anything. */
export const UNTRUSTED: Readonly<Record<string, string>> = {
  "cache-control": "private, no-store",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/**
 * A file's bytes with all that is known about it in the headers; 304 without them when the caller has this etag. What
 * comes as a stream has no length in its headers, so that a client can tell when it was broken off.
 */
export function fileAnswer(
  file: FileInfo,
  content: Content | ReadableStream<Uint8Array>,
  ifNoneMatch: string | null,
): Response {
  const contentType = contentTypeOf(file);
  const headers = new Headers({
    ...UNTRUSTED,
    etag: `"${file.etag}"`,
    "content-type": contentType,
    "x-carrel-layer": file.layer,
    "x-carrel-executable": String(file.executable),
  });
  if (file.by !== null) headers.set("x-carrel-by", printable(file.by));
  if (file.at !== null) headers.set("last-modified", new Date(file.at).toUTCString());
  if (hasAlready(ifNoneMatch, file.etag)) return new Response(null, { status: 304, headers });
  if (!PASSIVE.test(contentType))
    headers.set("content-disposition", attachment(file.path.slice(file.path.lastIndexOf("/") + 1)));
  if (content instanceof ReadableStream) return new Response(content, { headers });
  const bytes = bytesOf(content);
  headers.set("content-length", String(bytes.byteLength));
  return new Response(bytes, { headers });
}

/** A text as a header takes it: percent signs, and all but printable ASCII, are percent-encoded as UTF-8. */
const printable = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x7e]+|%/gu, encodeURIComponent);

/** The bytes of a content; of a text, with its byte order mark if it has one. */
export const bytesOf = (content: Content): Uint8Array<ArrayBuffer> =>
  "text" in content
    ? (new TextEncoder().encode(content.text) as Uint8Array<ArrayBuffer>)
    : (content.bytes as Uint8Array<ArrayBuffer>);

/** The header that makes a browser save a file under `name`, whatever characters it holds (RFC 6266). */
export function attachment(name: string): string {
  const escaped = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${escaped}`;
}
