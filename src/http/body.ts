import type * as z from "zod";
import { CarrelError, invalid, tooLarge } from "../shared/errors.ts";

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
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new CarrelError(
      "unsupported_media_type",
      'Send JSON with the header "content-type: application/json".',
    );
  }
  const json = parseJson(await readText(request));
  checkTree(json);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 5).map((issue) => {
    const at = issue.path.map(String).join(".").slice(0, 100);
    return at === "" ? issue.message : `${at}: ${issue.message}`;
  });
  throw invalid(`The body is not as expected. ${issues.join("; ")}`);
}

async function readText(request: Request): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_BYTES) throw tooLarge("The body", "1.5 MB");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw tooLarge("The body", "1.5 MB");
    chunks.push(chunk);
  }
  const [first] = chunks;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    if (first && chunks.length === 1) return decoder.decode(first);
    return (
      chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode()
    );
  } catch {
    throw invalid("The body is not valid UTF-8.");
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === "") throw invalid("The body is empty. Send a JSON object.");
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The body is not valid JSON.");
  }
}

/** Walks without recursion, so that depth is an error and not a stack overflow. */
function checkTree(root: unknown): void {
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
