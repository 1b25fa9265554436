// `npm run skills -- DIR`: loads every skill below a directory as an agent would, and says what is wrong with it and what the
// scanner finds. Exit code 1 when one cannot be loaded, or there is none.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseSkill } from "../src/skills/format/parse-skill.ts";
import { scanSkill } from "../src/skills/scan/scan.ts";

const MAX_TEXT_BYTES = 1024 * 1024;
const SKIPPED = new Set([".git", "node_modules"]);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const [directory, ...rest] = process.argv.slice(2);
if (directory === undefined || rest.length > 0 || !isDirectory(directory)) {
  console.error(
    "Usage: npm run skills -- DIR\nDIR is a directory of skills, or of directories of them.",
  );
  process.exit(1);
}

// Whoever only wants the beginning closes the pipe.
process.stdout.on("error", () => process.exit());
const skills = skillsBelow(resolve(directory));
const bad = skills.filter((skill) => !check(skill)).length;
console.log(`\n${skills.length - bad} of ${skills.length} skills load`);
process.exitCode = bad > 0 || skills.length === 0 ? 1 : 0;

function isDirectory(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Directories with a SKILL.md; what is below one is of that skill. */
function skillsBelow(path) {
  const entries = readdirSync(path, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const main = entries.find((entry) => entry.isFile() && /^skill\.md$/i.test(entry.name));
  if (main) return [{ path, main: main.name }];
  return entries.flatMap((entry) =>
    entry.isDirectory() && !SKIPPED.has(entry.name) ? skillsBelow(join(path, entry.name)) : [],
  );
}

/** Prints a skill; whether it can be loaded. */
function check({ path, main }) {
  const files = filesBelow(path, "");
  const text = files.find((file) => file.path === main)?.content.text;
  const parsed =
    text === undefined ? { kind: "bad", why: "It is not text." } : parseSkill(text, basename(path));
  if (parsed.kind === "bad") {
    console.log(`✗ ${path}: ${parsed.why}`);
    return false;
  }
  const { verdict, findings } = scanSkill(files);
  console.log(`✓ ${parsed.header.name}: ${verdict}`);
  for (const warning of parsed.header.warnings) console.log(`  warning: ${warning}`);
  for (const found of findings)
    console.log(`  ${found.verdict}: ${found.path}:${found.line} ${found.rule}. ${found.why}`);
  return true;
}

function filesBelow(path, below) {
  return readdirSync(join(path, below), { withFileTypes: true }).flatMap((entry) => {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, name);
    if (!entry.isFile()) return [];
    const file = join(path, name);
    const executable = (statSync(file).mode & 0o111) !== 0;
    return [{ path: name, content: contentOf(readFileSync(file)), executable }];
  });
}

/** As a workspace keeps it: text where it is UTF-8 of at most 1 MiB. */
function contentOf(bytes) {
  if (bytes.length > MAX_TEXT_BYTES) return { bytes: new Uint8Array(bytes) };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { bytes: new Uint8Array(bytes) };
  }
}
