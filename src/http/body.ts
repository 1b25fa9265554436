import type * as z from "zod";
import { CarrelError, invalid, tooLarge } from "../shared/errors.ts";
import { checkValue } from "../shared/issue-words.ts";

const MAX_BYTES = 1_500_000;
const MAX_DEPTH = 32;

/**
 * The JSON body of a request, checked before anything else happens: media type, at most 1.5 MB, valid UTF-8 and
 * JSON, at most 32 levels deep, no lone surrogates, and the shape of `schema`. Throws `CarrelError` that says
 * how to mend it.
 */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const json = await readJson(request, MAX_BYTES);
  checkTree(json);
  return checkShape(schema, json);
}

/** The JSON body of a request of at most `maxBytes`, as it is: see `checkTree` and `checkShape`. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new CarrelError(
      "unsupported_media_type",
      'Send JSON with the header "content-type: application/json".',
    );
  }
  return parseJson(await readText(request, maxBytes));
}

/** `json` in the shape of `schema`. Throws `CarrelError('invalid')` that names up to five places to mend. */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  json: unknown,
): z.output<Schema> {
  const checked = checkValue(schema, json);
  if ("data" in checked) return checked.data;
  throw invalid(`The body is not as expected. ${checked.problems.join("; ")}`);
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const limit = `${maxBytes / 1_000_000} MB`;
  const declared = lengthOf(request);
  if (declared !== null && declared > maxBytes) throw tooLarge("The body", limit);
  // The length of a body that says it is kept to by the server, so it can be taken in one piece.
  const bytes =
    declared === null
      ? await readBytes(request, "The body", maxBytes, limit)
      : await request.arrayBuffer();
  if (bytes.byteLength > maxBytes) throw tooLarge("The body", limit);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalid("The body is not valid UTF-8.");
  }
}

/**
 * The body of a request as it came, of at most `maxBytes`, which the error calls `limit`. No more than that is read,
 * whatever the request says about its length. Throws `CarrelError`: `too_large`; `invalid` when fewer bytes came
 * than were announced; `unsupported_media_type` when it is compressed on the way.
 */
export async function readBytes(
  request: Request,
  what: string,
  maxBytes: number,
  limit: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new CarrelError(
      "unsupported_media_type",
      "Send the body as it is, without the header content-encoding.",
    );
  const declared = lengthOf(request);
  if (declared !== null && declared > maxBytes) throw tooLarge(what, limit);
  // Memory grows with what has come, whatever was announced; one that is kept to leaves no room at the end.
  const most = declared ?? maxBytes;
  let bytes = new Uint8Array(0);
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    const end = size + chunk.byteLength;
    if (end > maxBytes) throw tooLarge(what, limit);
    if (end > bytes.byteLength) bytes = grown(bytes, Math.max(end, Math.min(most, 2 * end)));
    bytes.set(chunk, size);
    size = end;
  }
  if (declared !== null && size < declared)
    throw invalid("The body ended before the length that its content-length announced.");
  return bytes.subarray(0, size);
}

/** What a request says about the length of its body; `null` when it says nothing that is a length. */
function lengthOf(request: Request): number | null {
  const header = request.headers.get("content-length");
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

function grown(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(length);
  more.set(bytes);
  return more;
}

function parseJson(text: string): unknown {
  if (text.trim() === "") throw invalid("The body is empty. Send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The body is not valid JSON.");
  }
}

/**
 * Refuses what is nested deeper than 32 levels or holds half of a surrogate pair. Walks without recursion, so
 * that depth is an error and not a stack overflow.
 */
export function checkTree(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") checkText(value);
      else if (Array.isArray(value)) for (const item of value) next.push(item);
      else if (typeof value === "object" && value !== null) {
        for (const [key, item] of Object.entries(value)) {
          checkText(key);
          next.push(item);
        }
      }
    }
    level = next;
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed())
    throw invalid("A text holds half of a surrogate pair, which is not valid Unicode.");
}
