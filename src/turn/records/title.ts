import { invalid, notFound } from "../../shared/errors.ts";
import { cutAt } from "../../shared/text.ts";
import { INDEX_JOB, renewJob } from "../../session/jobs.ts";
import { readState, writeState } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";

const OPENING_CHARS = 80;
const TITLE_CHARS = 200;
/** Line ends and other control characters. */
const NOT_ONE_LINE = /[\p{Cc}\u2028\u2029]/u;

/** The job that writes a new title among the user's files. */
export const TITLE_JOB = "title";

/**
 * How a list calls the session: as a person named it, else how its first message begins; empty when that has no text, or
 * nothing was said yet. Looked up once in the life of an object.
 */
export function titleOf(core: SessionCore): string {
  core.known.title ??= readState(core.sql, "title")?.title ?? "";
  return core.known.title || openingOf(core);
}

/** How the first message of the session begins: at most 80 characters on one line. Looked up as the title is. */
export function openingOf(core: SessionCore): string {
  return (core.known.opening ??= readOpening(core)) ?? "";
}

/** `null` while nothing was said. */
function readOpening({ journal }: SessionCore): string | null {
  let entry = journal.first(1);
  while (entry && entry.kind !== "user") entry = journal.first(entry.seq + 1);
  if (!entry) return null;
  const texts = entry.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return cutAt(texts.join(" ").replaceAll(/\s+/g, " ").trim(), OPENING_CHARS);
}

/** A name as it is stored; empty for none. Throws `CarrelError('invalid')` when it is too long or not one line. */
export function parseTitle(raw: string): string {
  const title = raw.trim();
  if (title.length > TITLE_CHARS || NOT_ONE_LINE.test(title))
    throw invalid(
      `A title must be one line of at most ${TITLE_CHARS} characters. Send "" to go back to how the session begins.`,
    );
  return title;
}

/**
 * Names the session, or with "" calls it again by how it begins; what it is called then. Committed when this returns, with
 * the jobs that tell the registry and the user's files. Throws `CarrelError('not_found')` when nothing was done in it yet,
 * and as `parseTitle` does. Safe to repeat.
 */
export function renameSession(core: SessionCore, raw: string): string {
  const title = parseTitle(raw);
  if (core.journal.last === 0) throw notFound("That session");
  const due = core.clock.now() + DEAD_MAN_MS;
  core.commit("title", () => {
    writeState(core.sql, "title", { title });
    for (const id of [INDEX_JOB, TITLE_JOB])
      renewJob(core.sql, { id, kind: "index", due, payload: "" });
  });
  core.known.title = title;
  return titleOf(core);
}
