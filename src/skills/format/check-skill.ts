import { invalid } from "../../shared/errors.ts";
import { splitSkill } from "../../shared/skill-head.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import { spellSize, utf8Length } from "../../shared/text.ts";
import {
  countCharacters,
  MAX_COMPATIBILITY,
  MAX_DESCRIPTION,
  MAX_NAME,
  metadataOf,
  readFrontMatter,
} from "../../shared/front-matter/front-matter.ts";
import type { SkillHeader } from "./skill.ts";
import { skillPath } from "./skill-path.ts";
import { quote, type Value } from "../../shared/front-matter/yaml.ts";

/** What a skill that is written here may have at most. */
export const skillLimits = {
  name: MAX_NAME,
  description: MAX_DESCRIPTION,
  /** Of SKILL.md, in characters. */
  text: 100_000,
  fileBytes: 1024 * 1024,
  files: 300,
  bytes: 10 * 1024 * 1024,
} as const;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Control characters, apart from line breaks and tabs; and broken Unicode. */
const ODD = /[^\P{Cc}\n\t]|\p{Cs}/u;

/** The keys that the rules know; their validator refuses every other one. */
const KNOWN: readonly string[] = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
];

/**
 * What a skill that is written has to be, by the Agent Skills rules (agentskills.io) and the limits above: returns its
 * header, or throws `invalid` with how to mend it. `name` is its directory's; `files` are all of its files.
 */
export function checkSkill(name: string, files: readonly SkillFile[]): SkillHeader {
  assertName(name);
  assertFiles(files);
  const main = files.find(({ path }) => path === "SKILL.md");
  if (!main) throw invalid("A skill needs a file SKILL.md in its directory, written just so.");
  if (!("text" in main.content)) throw invalid("SKILL.md has to be text in UTF-8.");
  const { text } = main.content;
  if (countCharacters(text) > skillLimits.text)
    throw invalid(
      `SKILL.md has more than ${skillLimits.text} characters. Move parts of it to references/.`,
    );
  return checkText(name, text);
}

/** Throws `invalid` unless a skill may be called so when it is written. */
export function assertName(name: string): void {
  if (name.length > skillLimits.name || !NAME.test(name))
    throw invalid(
      `A skill's name is 1 to ${skillLimits.name} small letters, digits and single hyphens between them, for example "pdf-forms".`,
    );
}

function assertFiles(files: readonly SkillFile[]): void {
  if (files.length > skillLimits.files)
    throw invalid(`A skill has at most ${skillLimits.files} files.`);
  const seen = new Set<string>();
  let total = 0;
  for (const { path, content } of files) {
    const shown = JSON.stringify(path.slice(0, 200));
    if (skillPath(path) !== path)
      throw invalid(`The path ${shown} has to be written ${JSON.stringify(skillPath(path))}.`);
    if (path !== "SKILL.md" && path.toLowerCase() === "skill.md")
      throw invalid("The file SKILL.md has to be written in capitals.");
    if (seen.has(path)) throw invalid(`The file ${shown} is there twice.`);
    seen.add(path);
    const size = "text" in content ? utf8Length(content.text) : content.bytes.byteLength;
    if (path !== "SKILL.md" && size > skillLimits.fileBytes)
      throw invalid(`The file ${shown} is larger than ${spellSize(skillLimits.fileBytes)}.`);
    total += size;
  }
  if (total > skillLimits.bytes)
    throw invalid(`The skill is larger than ${spellSize(skillLimits.bytes)}.`);
  assertNoFileIsDirectory(seen);
}

function assertNoFileIsDirectory(paths: ReadonlySet<string>): void {
  for (const path of paths)
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      if (paths.has(path.slice(0, at)))
        throw invalid(`${JSON.stringify(path.slice(0, at))} is both a file and a directory.`);
}

function checkText(name: string, text: string): SkillHeader {
  const split = splitSkill(text);
  if (split.kind === "none") throw wrong(split.why);
  const { values, warnings, refused } = readFrontMatter(split.frontMatter);
  if (refused !== null)
    throw wrong(`Its front matter is not YAML: ${refused}. Put values in quotes.`);
  const [warning] = warnings;
  if (warning !== undefined) throw wrong(warning);
  const written = textOf(values, "name");
  if (written !== name)
    throw wrong(`Its name has to be that of its directory: write \`name: ${name}\`.`);
  const description = textOf(values, "description") ?? "";
  if (description.trim() === "")
    throw wrong("It needs a description that says what it does and when to use it.");
  if (countCharacters(description) > skillLimits.description)
    throw wrong(
      `Its description has more than ${skillLimits.description} characters. Say the rest in the body.`,
    );
  if (ODD.test(description))
    throw wrong("Its description must not have control characters or broken Unicode.");
  assertOther(values);
  if (text.slice(split.bodyAt).trim() === "")
    throw wrong("It needs instructions below its front matter.");
  return { name, description, metadata: metadataOf(values), warnings: [] };
}

const wrong = (why: string) => invalid(`SKILL.md is not as the Agent Skills rules ask. ${why}`);

/** Of a key whose value has to be a text; `undefined` where it is not there. */
function textOf(values: ReadonlyMap<string, Value>, key: string): string | undefined {
  const value = values.get(key);
  if (value && typeof value.plain !== "string")
    throw wrong(`The value of ${quote(key)} has to be a text. Put it in quotes.`);
  return value?.text ?? undefined;
}

function assertOther(values: ReadonlyMap<string, Value>): void {
  for (const key of values.keys())
    if (!KNOWN.includes(key))
      throw wrong(`${quote(key)} is no key of theirs. Put it under \`metadata\`.`);
  textOf(values, "license");
  textOf(values, "allowed-tools");
  if (countCharacters(textOf(values, "compatibility") ?? "") > MAX_COMPATIBILITY)
    throw wrong(`The value of "compatibility" has more than ${MAX_COMPATIBILITY} characters.`);
  const metadata = values.get("metadata")?.plain ?? {};
  if (typeof metadata !== "object" || Array.isArray(metadata) || hasStructure(metadata))
    throw wrong('"metadata" has to be a map of keys to texts.');
}

const hasStructure = (metadata: object): boolean =>
  Object.values(metadata).some((value) => typeof value === "object" && value !== null);
