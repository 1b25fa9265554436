import { neutraliser } from "../../context/tags.ts";
import type { AttachedFile, SeenFiles } from "../../session/entries.ts";
import { fitsRow } from "../../session/journal.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import { CarrelError } from "../../shared/errors.ts";
import type { ContentPart } from "../../shared/messages.ts";
import { withoutMarks } from "../../shared/memory-marks.ts";
import { utf8Length } from "../../shared/text.ts";
import { workspacePath, type WorkspacePath } from "../../workspace/layers/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { TurnScope } from "../capability.ts";
import { LostTurn, type SessionCore } from "../core.ts";

const MAX_FILES = 10;
const MAX_LINES = 1_000;
/** Of all files of one message together, in UTF-8; a file that would go beyond is left to `read_file`. */
const MAX_BYTES = 250_000;

/** An `@` that is not inside a word, and what follows up to a space, a quote or a bracket that closes. */
const REFERENCE = /(?<!\w)@([^\s"'`“”‘’<>|\u3000-\u303f\uff00-\uff5e]+)/gu;
/** What ends a sentence or closes a bracket or an emphasis. */
const TRAILING = ".,;:!?)]}*_~";

/** No path of a workspace is longer. */
const MAX_SPELLING = 1_024;

/**
 * Adds the files that the turn's message names as `@path` to what the model reads, as one fact. What is missing, no
 * text, or too much is left out and the message stays as it is. `tags` are those of the prompt beside the reserved
 * ones. Once a turn, before its first step: called again, it does nothing. Throws what keeps a workspace from being
 * read at all, and `LostTurn`.
 */
export async function attachFiles(
  core: SessionCore,
  scope: TurnScope,
  turn: RunningTurn,
  tags: readonly string[],
): Promise<void> {
  const entries = core.entriesOf(turn.id);
  if (entries.some(({ kind }) => kind === "attached" || kind === "step")) return;
  const paths = entries.flatMap((entry) =>
    entry.kind === "user" ? referencesIn(entry.content) : [],
  );
  if (paths.length === 0) return;
  const neutralise = neutraliser(tags);
  const read = await Promise.all(
    paths.map((path) => readAttachment(scope.workspace, path, neutralise)),
  );
  if (scope.signal.aborted) throw new LostTurn();
  const { files, seen } = withinLimits(read.flatMap((file) => file ?? []));
  if (files.length === 0) return;
  core.commit("attach", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    tx.append(turn.id, { kind: "attached", files, seen });
  });
}

/** The files that a message names, each once, at most 10. */
export function referencesIn(content: readonly ContentPart[]): WorkspacePath[] {
  const found = new Set<WorkspacePath>();
  for (const part of content) {
    if (part.type !== "text") continue;
    for (const [, spelling = ""] of part.text.matchAll(REFERENCE)) {
      const path = pathOf(trimmed(spelling));
      if (path !== null) found.add(path);
      if (found.size === MAX_FILES) return [...found];
    }
  }
  return [...found];
}

function trimmed(spelling: string): string {
  let end = spelling.length;
  while (TRAILING.includes(spelling.charAt(end - 1)) && end > 0) end--;
  return spelling.slice(0, end);
}

/** A bare name is no path: it means a person. */
function pathOf(spelling: string): WorkspacePath | null {
  if (!/[./]/.test(spelling) || spelling.length > MAX_SPELLING) return null;
  try {
    return workspacePath(spelling) || null;
  } catch (error) {
    if (error instanceof CarrelError) return null;
    throw error;
  }
}

type Attachment = AttachedFile & { readonly etag: string };

/** The beginning of a file; `null` when there is no such file, or it has no text. */
async function readAttachment(
  workspace: Workspace,
  path: WorkspacePath,
  neutralise: (text: string) => string,
): Promise<Attachment | null> {
  try {
    const { file, lines, total, lineCut } = await workspace.page({
      path,
      offset: 0,
      limit: MAX_LINES,
    });
    if (lines === null) return null;
    const cut = lines.length < total;
    const text = neutralise(withoutMarks(lines.join("\n")));
    return { path: file.path, text, cut, ...(lineCut ? { lineCut } : {}), etag: file.etag };
  } catch (error) {
    if (error instanceof CarrelError && EXPECTED.includes(error.code)) return null;
    throw error;
  }
}

const EXPECTED: readonly string[] = ["not_found", "invalid", "forbidden"];

function withinLimits(read: readonly Attachment[]): {
  readonly files: readonly AttachedFile[];
  readonly seen: SeenFiles;
} {
  const files: AttachedFile[] = [];
  const seen: Record<string, string> = {};
  let bytes = 0;
  for (const { etag, ...file } of read) {
    const size = utf8Length(file.text);
    if (bytes + size > MAX_BYTES || !fitsRow(JSON.stringify([...files, file]))) continue;
    bytes += size;
    files.push(file);
    if (!file.cut && file.lineCut !== true) seen[file.path] = etag;
  }
  return { files, seen };
}
