import { CarrelError, invalid, tooLargeToRead } from "../../../shared/errors.ts";
import { sha256Hex } from "../../../shared/sha256.ts";
import type { SkillFile } from "../../../shared/skill-facts.ts";
import { spellSize } from "../../../shared/text.ts";
import { contentOf } from "../file-content.ts";
import type { FetchedSkill, RepositoryLimits } from "../repository.ts";
import { skillFromArchive } from "../skill-archive.ts";
import { leftOut, shownName, type Taken } from "../take-skills.ts";
import type { Ask } from "./ask.ts";
import type { FileSource, IndexEntry } from "./parse-index.ts";

/** Requests of one fetch, the index apart: a Worker has a thousand of them. */
const MAX_REQUESTS = 400;
const AT_ONCE = 4;

/** What is wrong with one skill. Everything else may be over the next time, and is everybody's. */
const itsOwn: readonly string[] = ["not_found", "too_large", "invalid", "forbidden"];

/**
 * The files of the skills that an index names, a few skills at a time. A skill whose files are missing, too large or not as
 * announced is a problem; a server that does not answer as it should is thrown.
 */
export async function bringSkills(
  entries: readonly IndexEntry[],
  ask: Ask,
  limits: RepositoryLimits,
): Promise<Taken> {
  const found: (FetchedSkill | string)[] = [];
  const left = { requests: MAX_REQUESTS, bytes: limits.totalBytes };
  const waiting = [...entries.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, entry] = next;
      try {
        found[at] = await bringOne(entry, ask, limits, left);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    skills: found.filter((one) => typeof one !== "string"),
    problems: found.filter((one) => typeof one === "string"),
  };
}

type Left = { requests: number; bytes: number };

async function bringOne(
  entry: IndexEntry,
  ask: Ask,
  limits: RepositoryLimits,
  left: Left,
): Promise<FetchedSkill | string> {
  const { name } = entry;
  const requests = entry.kind === "archive" ? 1 : entry.files.filter(isElsewhere).length;
  if (requests > left.requests)
    return leftOut(name, `the repository would take more than ${MAX_REQUESTS} requests.`);
  if (left.bytes <= 0)
    return leftOut(name, `the repository is larger than ${spellSize(limits.totalBytes)}.`);
  left.requests -= requests;
  try {
    const files =
      entry.kind === "archive"
        ? await bringArchive(entry, ask, limits)
        : await bringFiles(entry.files, ask, limits);
    for (const { content } of files)
      left.bytes -= "text" in content ? content.text.length : content.bytes.length;
    return { directory: name, files };
  } catch (error) {
    if (!(error instanceof CarrelError) || !itsOwn.includes(error.code)) throw error;
    return leftOut(name, error.message);
  }
}

const isElsewhere = ({ kind }: FileSource): boolean => kind === "url";

async function bringArchive(
  { url, sha256 }: Extract<IndexEntry, { kind: "archive" }>,
  ask: Ask,
  limits: RepositoryLimits,
): Promise<readonly SkillFile[]> {
  const { bytes } = await ask(url, { maxBytes: limits.skillBytes });
  await checkDigest("its archive", bytes, sha256);
  return skillFromArchive(bytes, limits).files;
}

async function bringFiles(
  sources: readonly FileSource[],
  ask: Ask,
  limits: RepositoryLimits,
): Promise<readonly SkillFile[]> {
  const files: SkillFile[] = [];
  let size = 0;
  for (const source of sources) {
    const { path, executable } = source;
    const file = await contentFrom(source, ask, limits);
    size += file.size;
    if (size > limits.skillBytes)
      throw tooLargeToRead("It", spellSize(limits.skillBytes), "Make it smaller.");
    files.push({ path, content: file.content, executable });
  }
  return files;
}

async function contentFrom(
  source: FileSource,
  ask: Ask,
  { fileBytes }: RepositoryLimits,
): Promise<Pick<SkillFile, "content"> & { readonly size: number }> {
  const what = `its file ${shownName(source.path)}`;
  if (source.kind === "text") return { content: { text: source.text }, size: source.text.length };
  if (source.kind === "base64") {
    const bytes = decoded(source.base64, what);
    return { content: contentOf(bytes), size: bytes.length };
  }
  const { bytes } = await ask(source.url, { maxBytes: fileBytes });
  if (source.sha256 !== null) await checkDigest(what, bytes, source.sha256);
  return { content: contentOf(bytes), size: bytes.length };
}

async function checkDigest(what: string, bytes: Uint8Array, sha256: string): Promise<void> {
  if ((await sha256Hex(bytes)) !== sha256)
    throw invalid(`${what} is not what its digest says. It may be damaged, or another one.`);
}

function decoded(base64: string, what: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw invalid(`${what} is not base64.`);
  }
}
