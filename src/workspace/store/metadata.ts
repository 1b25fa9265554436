import * as z from "zod";
import { cutAt } from "../../shared/text.ts";
import { storeLimits } from "./blob-store.ts";
import type { Metadata } from "./blob-store.ts";
import type { FileRow } from "../rows.ts";

/** What the store is told beside the bytes of a file, a version, a part of a log or a whiteout. */
export type StoredFacts = Pick<
  FileRow,
  "version" | "type" | "size" | "executable" | "at" | "author"
> & {
  /** Of a file's or log part's bytes; of a version that is a blob: of the blob. */
  readonly sha256: string;
  /** Of a part of a log; 0 for all else. */
  readonly lines: number;
};

const Natural = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

const Stored = z.object({
  version: Natural,
  type: z.enum(["text", "blob", "log", "gone"]).default("text"),
  size: Natural,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  lines: Natural.default(0),
  executable: z.literal("1").optional(),
  at: Natural,
  by: z.string(),
});

/** Who can have written something here, perhaps cut short. Everybody else came from outside. */
const AUTHOR = /^(?:outside|(?:user|agent|job):[A-Za-z0-9][A-Za-z0-9._/-]*)$/;

/** `facts` as metadata that every store keeps. An author is cut where there is no room: past about 200 characters. */
export function metadataOf(facts: StoredFacts): Metadata {
  const { version, type, size, sha256, lines, executable, at, author } = facts;
  const rest = {
    version: String(version),
    ...(type !== "text" && { type }),
    size: String(size),
    sha256,
    ...(lines > 0 && { lines: String(lines) }),
    ...(executable && { executable: "1" }),
    at: String(Math.max(0, Math.trunc(at))),
  };
  const room = storeLimits.metadataBytes - JSON.stringify({ ...rest, by: "" }).length;
  return { ...rest, by: portable(author, room) };
}

/**
 * What `metadataOf` wrote; `null` for anything else, such as what was put there by hand. An author that nothing here
 * writes under is `outside`.
 */
export function factsOf(metadata: Metadata): StoredFacts | null {
  const parsed = Stored.safeParse(metadata);
  if (!parsed.success) return null;
  const { by, executable, ...rest } = parsed.data;
  const author = readable(by);
  return {
    ...rest,
    executable: executable === "1",
    author: AUTHOR.test(author) ? author : "outside",
  };
}

/** Percent-encoded, in at most `room` characters. */
function portable(author: string, room: number): string {
  for (let length = Math.min(author.length, room); ; length -= 1) {
    const encoded = encodeURI(cutAt(author.toWellFormed(), length));
    if (encoded.length <= room) return encoded;
  }
}

function readable(by: string): string {
  try {
    return decodeURI(by);
  } catch (error) {
    if (error instanceof URIError) return by;
    throw error;
  }
}
