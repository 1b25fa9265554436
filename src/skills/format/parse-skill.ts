import { REST_CHARS, splitSkill } from "../../shared/skill-head.ts";
import { cutAt } from "../../shared/text.ts";
import {
  countCharacters,
  type FrontMatter,
  MAX_DESCRIPTION,
  MAX_NAME,
  metadataOf,
  readFrontMatter,
} from "../../shared/front-matter/front-matter.ts";
import type { ParsedSkill } from "./skill.ts";
import type { Value } from "../../shared/front-matter/yaml.ts";

/** What a name may not have: it stands on one line of the prompt, and looks like what it is. */
const ODD =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const ALL_ODD = new RegExp(ODD, "gu");
const MAX_USABLE = 128;

/** Of the Agent Skills rules: words of small letters and digits, of whatever alphabet, with hyphens between them. */
const RULES = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u;

const CONTROL = /[^\P{Cc}\n\t]/u;

/**
 * Reads a SKILL.md, or its head (`headOf`), as the Agent Skills rules ask of who loads one: what is not as it should be is
 * a warning. `directory` is its directory's name, or a path that ends with it. Only a text without front matter or
 * description is `bad`. Linear in the text, and never throws.
 */
export function parseSkill(text: string, directory: string): ParsedSkill {
  const split = splitSkill(text);
  if (split.kind === "none") return { kind: "bad", why: split.why };
  const front = readFrontMatter(split.frontMatter);
  const described = descriptionOf(front);
  if ("why" in described) return { kind: "bad", why: described.why };
  const named = nameOf(front.values.get("name"), directory);
  const body = text.slice(split.bodyAt);
  const warnings = [...front.warnings, ...named.warnings, ...described.warnings];
  if (cutAt(body, REST_CHARS).trim() === "") warnings.push("Nothing is written below its header.");
  return {
    kind: "skill",
    header: {
      name: named.name,
      description: described.description,
      metadata: metadataOf(front.values),
      warnings,
    },
    body,
  };
}

function descriptionOf({ values, refused }: FrontMatter) {
  const value = values.get("description");
  const description = value?.text ?? "";
  if (!value && refused !== null)
    return { why: `Its front matter is not YAML: ${refused}. Write each value in quotes.` };
  if (!value || value.plain === null || (value.text !== null && description.trim() === ""))
    return { why: "It has no description. Say what it does and when to use it." };
  if (value.text === null)
    return { why: "Its description is a list or a map. Write it as one text, in quotes." };
  const warnings: string[] = [];
  if (typeof value.plain !== "string")
    warnings.push("Its description is no text, and is read as one. Put it in quotes.");
  if (countCharacters(description) > MAX_DESCRIPTION)
    warnings.push(`Its description has more than ${MAX_DESCRIPTION} characters.`);
  if (CONTROL.test(description)) warnings.push("Its description has control characters.");
  return { description, warnings };
}

function nameOf(value: Value | undefined, directory: string) {
  const folder = directory.split("/").findLast((name) => name !== "") ?? "";
  const written = value?.text?.trim() ?? "";
  const called = `It is called after its directory.`;
  if (!value || value.plain === null || (value.text !== null && written === ""))
    return { name: usable(folder), warnings: [`It has no name. ${called}`] };
  if (written === "")
    return { name: usable(folder), warnings: [`Its name is a list or a map. ${called}`] };
  if (written.length > MAX_USABLE || ODD.test(written))
    return {
      name: usable(folder),
      warnings: [`Its name is too long, or not one line of visible characters. ${called}`],
    };
  const warnings: string[] = [];
  if (typeof value.plain !== "string")
    warnings.push("Its name is no text, and is read as one. Put it in quotes.");
  if (countCharacters(written) > MAX_NAME)
    warnings.push(`Its name has more than ${MAX_NAME} characters.`);
  if (!RULES.test(written.normalize("NFKC")))
    warnings.push("Its name is not small letters, digits and single hyphens between them.");
  if (written.normalize("NFKC") !== folder.normalize("NFKC"))
    warnings.push("Its name is not that of its directory.");
  return { name: written, warnings };
}

/** A directory's name, made to be one that can be used where it is not. */
function usable(folder: string): string {
  const clean = cutAt(folder.replaceAll(ALL_ODD, "?").trim(), MAX_USABLE).trim();
  return clean === "" ? "skill" : clean;
}
