import type { Evicted, Fact, JournalEntry } from "../../session/entries.ts";
import { sessionKey } from "../../shared/ids.ts";
import { errorFacts } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { PREVIEW_CHARS, textOf } from "../context/shorter.ts";
import type { TurnScope } from "../capability.ts";
import type { SessionCore } from "../core.ts";
import { EVICTED } from "../eviction/config.ts";
import { partsOf } from "../eviction/parts.ts";

const HASH_CHARS = 16;

/** A shorter text is not worth a file: what is shown of one is about as long. */
const LEAST_CHARS = 2 * PREVIEW_CHARS + 1_000;

/** Whether texts of this entry could be moved to files. */
export function isShortenable(entry: JournalEntry): boolean {
  if (entry.kind === "attached") return entry.files.some(({ text }) => text.length > LEAST_CHARS);
  return contentOf(entry).length > LEAST_CHARS;
}

const contentOf = (entry: JournalEntry): string =>
  entry.kind === "user" || entry.kind === "steered" || entry.kind === "result"
    ? textOf(entry.content)
    : "";

/**
 * Writes the texts of an entry to files that are named by its seq and by what they say, so that doing it again, after a
 * crash too, changes nothing. The fact that says where they are; where no file could be written, one that names none.
 * Never rejects.
 */
export async function moveToFiles(
  core: SessionCore,
  { address, turn, workspace }: Pick<TurnScope, "address" | "turn" | "workspace">,
  entry: JournalEntry,
): Promise<Extract<Fact, { kind: "shortened" }>> {
  const fact = (files: readonly Evicted[]) =>
    ({ kind: "shortened", of: entry.seq, files }) as const;
  if (entry.kind === "attached")
    return fact(
      entry.files.flatMap(({ path, text }) =>
        text.length > LEAST_CHARS ? [{ path, chars: text.length }] : [],
      ),
    );
  try {
    // What a text file may hold.
    const text = contentOf(entry).toWellFormed().replaceAll("\0", "\u2400");
    const hash = (await sha256Hex(new TextEncoder().encode(text))).slice(0, HASH_CHARS);
    const stem = `${EVICTED}/${address.session}/message-${entry.seq}-${hash}`;
    const { parts } = partsOf(text);
    const files = parts.map((part, at) => {
      const path = parts.length === 1 ? `${stem}.txt` : `${stem}-${at + 1}.txt`;
      return { path, chars: part.length, part };
    });
    const changes = files.map(
      ({ path, part }) => ({ kind: "write", path, content: { text: part } }) as const,
    );
    const op = `${sessionKey(address)}${entry.seq}/shortened/${hash}`;
    await workspace.change({ by: "job:eviction", op, changes });
    return fact(files.map(({ path, chars }) => ({ path, chars })));
  } catch (error) {
    core.platform.log("warn", "shortening_failed", { turn, seq: entry.seq, ...errorFacts(error) });
    return fact([]);
  }
}
