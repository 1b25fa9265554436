import { CarrelError } from "../shared/errors.ts";
import type { Contents } from "./contents.ts";
import type { FileRow } from "./rows.ts";

/** A part of a log that is not stored yet. */
export type LogPiece = { readonly load: () => string };

/**
 * How many bytes a log and these pieces have in common, from the first one on. Reads both part by part, the log from
 * wherever it lies, up to the first difference. Throws `CarrelError('conflict')` when the log changed meanwhile.
 */
export async function sameBeginning(
  contents: Pick<Contents, "logPart">,
  row: FileRow,
  pieces: readonly LogPiece[],
): Promise<number> {
  let at = 0;
  let part: Uint8Array = new Uint8Array();
  let begin = 0;
  for (const { load } of pieces) {
    const bytes = new TextEncoder().encode(load());
    for (let from = 0; from < bytes.length;) {
      if (at === row.size) return at;
      if (at === begin + part.length) {
        begin = at;
        part = await partOf(contents, row, begin);
      }
      const there = part.subarray(at - begin);
      const most = Math.min(bytes.length - from, there.length);
      const same = sameBytes(bytes.subarray(from, from + most), there);
      at += same;
      from += same;
      if (same < most) return at;
    }
  }
  return at;
}

async function partOf(
  contents: Pick<Contents, "logPart">,
  row: FileRow,
  from: number,
): Promise<Uint8Array> {
  const content = await contents.logPart(row, from);
  const bytes = "bytes" in content ? content.bytes : new TextEncoder().encode(content.text);
  // A log of the same name that was begun anew is shorter.
  if (bytes.length === 0)
    throw new CarrelError("conflict", `"${row.path}" was changed while it was read. Try again.`);
  return bytes;
}

function sameBytes(a: Uint8Array, b: Uint8Array): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
