import { quote, readYamlMap, type Value, type YamlBudget } from "./yaml.ts";

/** A key at the left edge, with what is after it on the line. */
const KEY = /^(?:([A-Za-z_][\w.-]{0,127})[ \t]*:(?=[ \t]|$)|(name|description):)(.*)$/;
const COMMENT = /^[ \t]*#/;
const BLOCK = /^[|>][-+0-9]{0,2}(?:[ \t]+#.*)?$/;

type Entry = { readonly key: string; readonly first: string; readonly rest: string[] };

/** What could be read of front matter that is no YAML. `warnings`: what was not, or not as it is written. */
export type LooseEntries = {
  readonly values: ReadonlyMap<string, Value>;
  readonly warnings: readonly string[];
};

/**
 * Reads line by line what YAML does not: each key at the left edge with the lines below it is an entry of its own. One that
 * is YAML by itself has its value; of any other one the text is taken as it stands, so that `description: Use when: …`
 * works. Entries without a text on their line are left out then.
 */
export function readLooseEntries(source: string, budget: YamlBudget): LooseEntries {
  const values = new Map<string, Value>();
  const warnings = new Set<string>();
  const entries = new Map<string, Entry>();
  for (const entry of entriesOf(source)) {
    if (entries.has(entry.key))
      warnings.add(`${quote(entry.key)} is there twice: the last one counts.`);
    entries.set(entry.key, entry);
  }
  for (const [key, entry] of entries) {
    const yaml = readYamlMap([`${key}: ${entry.first}`, ...entry.rest].join("\n"), budget);
    const value = yaml.kind === "map" ? yaml.values.get(key) : undefined;
    if (value) {
      values.set(key, value);
      continue;
    }
    const text = textOf(entry);
    if (text === "") warnings.add(`${quote(key)} cannot be read, and is left out.`);
    else {
      warnings.add(`The value of ${quote(key)} is no YAML, and is read as text. Put it in quotes.`);
      values.set(key, { plain: text, text });
    }
  }
  return { values, warnings: [...warnings].slice(0, MAX_WARNINGS) };
}

const MAX_WARNINGS = 20;

function entriesOf(source: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of source.split("\n")) {
    const [, word, known, first = ""] = KEY.exec(line) ?? [];
    const key = word ?? known;
    if (key !== undefined) entries.push({ key, first: first.trim(), rest: [] });
    else entries.at(-1)?.rest.push(line);
  }
  return entries;
}

/** Without quotes around it. The lines of a block keep their ends; all others are one text. */
function textOf({ first, rest }: Entry): string {
  if (first === "" || first.startsWith("#")) return "";
  const lines = rest.map((line) => line.trim());
  if (BLOCK.test(first)) return lines.join(first.startsWith("|") ? "\n" : " ").trim();
  const all = [first, ...lines.filter((line) => line !== "" && !COMMENT.test(line))].join(" ");
  const mark = all.charAt(0);
  const isQuoted = (mark === '"' || mark === "'") && all.length > 1 && all.endsWith(mark);
  return isQuoted ? all.slice(1, -1).trim() : all;
}
