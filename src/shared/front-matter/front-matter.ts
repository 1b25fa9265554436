import { readLooseEntries } from "./loose-entries.ts";
import { readPlainLines } from "./plain-lines.ts";
import { readYamlMap, type Value, yamlBudget } from "./yaml.ts";

/** `refused`: why it is no YAML, without a full stop; then `values` is what could be read line by line. */
export type FrontMatter = {
  readonly values: ReadonlyMap<string, Value>;
  readonly warnings: readonly string[];
  readonly refused: string | null;
};

/** Reads what is between the lines `---` of a SKILL.md: as YAML, else line by line. Never throws. */
export function readFrontMatter(text: string): FrontMatter {
  const source = text.replaceAll(/\r\n?/g, "\n");
  const plain = readPlainLines(source);
  if (plain) return { values: valuesOf(plain), warnings: [], refused: null };
  const budget = yamlBudget();
  const yaml = readYamlMap(source, budget);
  if (yaml.kind === "map") return { values: yaml.values, warnings: yaml.warnings, refused: null };
  return { ...readLooseEntries(source, budget), refused: yaml.why };
}

const valuesOf = (texts: ReadonlyMap<string, string>): Map<string, Value> =>
  new Map(Array.from(texts, ([key, text]) => [key, { plain: text, text }]));

/** Every key but name and description, as an object without a prototype. */
export function metadataOf(values: ReadonlyMap<string, Value>): Readonly<Record<string, unknown>> {
  const metadata: Record<string, unknown> = Object.create(null);
  for (const [key, { plain }] of values)
    if (key !== "name" && key !== "description") metadata[key] = plain;
  return metadata;
}

/** In code points, as the Agent Skills rules count. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) <= 0xffff) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** Limits of the Agent Skills rules (agentskills.io), in characters. */
export const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1_024;
export const MAX_COMPATIBILITY = 500;
