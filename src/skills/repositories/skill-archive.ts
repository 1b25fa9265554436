import type { SkillFile } from "../../shared/skill-facts.ts";
import { spellSize } from "../../shared/text.ts";
import { quoted, readZip, refused } from "../../shared/zip/reader.ts";
import { createUnpacker, unpackWhole } from "../../shared/zip/unpack.ts";
import { contentOf } from "./file-content.ts";
import type { RepositoryLimits } from "./repository.ts";
import { readTarGz, type TarFile } from "./tar-reader.ts";
import { pathsRefusal } from "./take-skills.ts";

export type ArchivedFiles = {
  /** What the archive calls the directory that all is in; `null`: SKILL.md is at its top. */
  readonly directory: string | null;
  readonly files: readonly SkillFile[];
};

type Limits = Pick<RepositoryLimits, "filesPerSkill" | "fileBytes" | "skillBytes">;

/** Directories and what a Mac adds are entries, too. */
const ENTRIES_PER_FILE = 4;

/**
 * The one skill of a zip or gzipped tar archive: SKILL.md is at its top, or in its only directory. What a Mac adds to
 * archives is left out. Throws `CarrelError('invalid')` that says why an archive is refused: paths that leave it, links,
 * more than the limits allow, no SKILL.md.
 */
export function skillFromArchive(bytes: Uint8Array, limits: Limits): ArchivedFiles {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacked = (isGzip ? untar(bytes, limits) : unzip(bytes, limits)).filter(isMeant);
  if (unpacked.length > limits.filesPerSkill)
    throw refused(`it holds more than ${limits.filesPerSkill} files.`);
  const why = pathsRefusal(unpacked.map(({ name }) => name));
  if (why !== null) throw refused(why);
  const large = unpacked.find(({ bytes: data }) => data.length > limits.fileBytes);
  if (large) throw refused(`${quoted(large.name)} is larger than ${spellSize(limits.fileBytes)}.`);
  const directory = directoryOf(unpacked.map(({ name }) => name));
  const skip = directory === null ? 0 : directory.length + 1;
  const files = unpacked.map(({ name, bytes: data, executable }) => {
    return { path: name.slice(skip), content: contentOf(data), executable };
  });
  return { directory, files };
}

const mostOf = ({ filesPerSkill, skillBytes }: Limits) => ({
  entries: filesPerSkill * ENTRIES_PER_FILE,
  totalBytes: skillBytes,
});

function unzip(bytes: Uint8Array, limits: Limits): readonly TarFile[] {
  const { entries } = readZip(bytes, mostOf(limits));
  const unpack = createUnpacker();
  return entries
    .filter(({ name }) => !name.endsWith("/"))
    .map((entry) => ({
      name: entry.name,
      executable: entry.executable,
      bytes: unpackWhole(unpack, entry),
    }));
}

/** `tar -C skill .` writes every name with `./` before it. */
const untar = (bytes: Uint8Array, limits: Limits): readonly TarFile[] =>
  readTarGz(bytes, mostOf(limits)).map((file) => ({
    ...file,
    name: file.name.replace(/^\.\//, ""),
  }));

const isMeant = ({ name }: TarFile): boolean =>
  !name.startsWith("__MACOSX/") && !/(^|\/)(\.DS_Store|\._[^/]*)$/.test(name);

function directoryOf(names: readonly string[]): string | null {
  const isDocument = (name: string) => name.toLowerCase() === "skill.md";
  if (names.some(isDocument)) return null;
  const [directory, other] = new Set(names.map((name) => name.split("/", 1)[0] ?? ""));
  const prefix = `${directory}/`;
  const isOne = directory !== undefined && other === undefined;
  if (
    isOne &&
    names.some((name) => name.startsWith(prefix) && isDocument(name.slice(prefix.length)))
  )
    return directory;
  throw refused("it has no SKILL.md at its top, or in its only directory.");
}
