import * as z from "zod";
import { CarrelError } from "../../../shared/errors.ts";
import { cutAt } from "../../../shared/text.ts";
import type { RepositoryLimits } from "../repository.ts";
import { directoryRefusal, leftOut, pathsRefusal, tooMany } from "../take-skills.ts";

/** Where a file comes from: it is in the index, or at an address. */
export type FileSource = { readonly path: string; readonly executable: boolean } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "base64"; readonly base64: string }
  | { readonly kind: "url"; readonly url: URL; readonly sha256: string | null }
);

/** A skill of an index: its files, or the one archive that they are in. */
export type IndexEntry = { readonly name: string } & (
  | { readonly kind: "files"; readonly files: readonly FileSource[] }
  | { readonly kind: "archive"; readonly url: URL; readonly sha256: string }
);

export type ParsedIndex = {
  readonly entries: readonly IndexEntry[];
  readonly problems: readonly string[];
  /** Whether the index decides all that it names: everything is in it, or has a digest. */
  readonly isBound: boolean;
};

/** The identifier of the index's format, as the discovery RFC 0.2.0 has it. */
const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

const Document = z.object({ $schema: z.string().optional(), skills: z.array(z.unknown()) });
const Head = z.object({ name: z.string() });
const Artifact = z.object({ type: z.string(), url: z.string(), digest: z.string() });
const Paths = z.object({ files: z.array(z.string()) });
const Inline = z.object({ files: z.custom<Record<string, unknown>>(isRecord) });
const InlineFile = z.union([
  z.string().transform((text) => ({ text, executable: false })),
  z.object({ text: z.string(), executable: z.boolean().default(false) }),
  z.object({ base64: z.string(), executable: z.boolean().default(false) }),
  z.object({
    url: z.string(),
    digest: z.string().optional(),
    executable: z.boolean().default(false),
  }),
]);

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `why` it is left out, as a sentence. */
class Unusable extends Error {}

/**
 * The skills that an index names. What is wrong with one of them is a problem, and takes nothing from the others. Throws
 * `CarrelError('malformed')` for what is no index, or one of a later format.
 */
export function parseIndex(bytes: Uint8Array, url: URL, limits: RepositoryLimits): ParsedIndex {
  const parsed = Document.safeParse(jsonOf(bytes));
  if (!parsed.success)
    throw malformed(`What ${url.host} has is no index of skills: it needs a list "skills".`);
  const { $schema: schema, skills } = parsed.data;
  if (schema !== undefined && schema !== SCHEMA)
    throw malformed(
      `The index of skills at ${url.host} has a format that is not known: ${cutAt(schema, 200)}.`,
    );
  const entries: IndexEntry[] = [];
  const problems: string[] = [];
  for (const [at, skill] of skills.slice(0, limits.skills).entries()) {
    const head = Head.safeParse(skill);
    const name = head.success ? head.data.name : `entry ${at + 1}`;
    try {
      if (!head.success) throw new Unusable("it has no name.");
      entries.push(entryOf(name, skill, url, limits));
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      problems.push(leftOut(name, error.message));
    }
  }
  if (skills.length > limits.skills) problems.push(tooMany(skills.length - limits.skills, limits));
  return { entries, problems, isBound: entries.every(isBound) };
}

const malformed = (why: string): CarrelError => new CarrelError("malformed", why);

const isBound = (entry: IndexEntry): boolean =>
  entry.kind === "archive" ||
  entry.files.every((file) => file.kind !== "url" || file.sha256 !== null);

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function entryOf(name: string, skill: unknown, index: URL, limits: RepositoryLimits): IndexEntry {
  const why = directoryRefusal(name);
  if (why !== null) throw new Unusable(why);
  const inline = Inline.safeParse(skill);
  const paths = Paths.safeParse(skill);
  if (paths.success)
    return { name, kind: "files", files: publishedFiles(name, paths.data.files, index, limits) };
  if (inline.success)
    return { name, kind: "files", files: inlineFiles(inline.data.files, index, limits) };
  const artifact = Artifact.safeParse(skill);
  if (!artifact.success)
    throw new Unusable('it has neither "files" nor "type", "url" and "digest".');
  const { type, url, digest } = artifact.data;
  const at = { url: urlOf(url, index), sha256: sha256Of(digest) };
  if (type === "archive") return { name, kind: "archive", ...at };
  if (type !== "skill-md")
    throw new Unusable(`its type ${JSON.stringify(cutAt(type, 50))} is not known.`);
  const document = { path: "SKILL.md", executable: false, kind: "url", ...at } as const;
  return { name, kind: "files", files: [document] };
}

/** By the format 0.1.0: each file lies below the name of its skill, beside the index. */
function publishedFiles(
  name: string,
  paths: readonly string[],
  index: URL,
  limits: RepositoryLimits,
): readonly FileSource[] {
  checkPaths(paths, limits);
  const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");
  return paths.map((path) => ({
    kind: "url",
    path,
    executable: false,
    url: new URL(`${encodeURIComponent(name)}/${encoded(path)}`, index),
    sha256: null,
  }));
}

function inlineFiles(
  files: Readonly<Record<string, unknown>>,
  index: URL,
  limits: RepositoryLimits,
): readonly FileSource[] {
  const entries = Object.entries(files);
  checkPaths(
    entries.map(([path]) => path),
    limits,
  );
  return entries.map(([path, given]) => {
    const parsed = InlineFile.safeParse(given);
    if (!parsed.success)
      throw new Unusable(
        `its file ${JSON.stringify(cutAt(path, 100))} is neither a text nor an object with "text", "base64" or "url".`,
      );
    const file = parsed.data;
    const { executable } = file;
    if ("text" in file) return { kind: "text", path, executable, text: file.text };
    if ("base64" in file) return { kind: "base64", path, executable, base64: file.base64 };
    const sha256 = file.digest === undefined ? null : sha256Of(file.digest);
    return { kind: "url", path, executable, url: urlOf(file.url, index), sha256 };
  });
}

/** Before anything of it is asked for. */
function checkPaths(paths: readonly string[], { filesPerSkill }: RepositoryLimits): void {
  if (paths.length > filesPerSkill) throw new Unusable(`it has more than ${filesPerSkill} files.`);
  const why = pathsRefusal(paths);
  if (why !== null) throw new Unusable(why);
}

/** An address of the index's own origin, or one that says in full that it is another one. */
function urlOf(text: string, index: URL): URL {
  if (!URL.canParse(text, index.href)) throw new Unusable("its address cannot be read.");
  const url = new URL(text, index.href);
  if (url.origin !== index.origin && !/^https:\/\//i.test(text))
    throw new Unusable("its address is not at this server, and does not begin with https://.");
  return url;
}

function sha256Of(digest: string): string {
  const [, sha256] = /^sha256:([0-9a-f]{64})$/i.exec(digest) ?? [];
  if (sha256 === undefined)
    throw new Unusable('its digest is not "sha256:" with 64 hexadecimal digits.');
  return sha256.toLowerCase();
}
