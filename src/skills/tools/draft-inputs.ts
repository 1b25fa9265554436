import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { SkillFile } from "../../shared/skill-facts.ts";
import { assertName } from "../format/check-skill.ts";
import { supportPath } from "../format/skill-path.ts";
import { DOCUMENT, isDocument } from "./document.ts";

/** What a tool may be given at most, in characters: whether a skill may have so much is for its own check to say. */
export const MAX_TEXT = 2_000_000;

/** The name of a new skill. */
export const newName = parsedBy((raw) => {
  assertName(raw);
  return raw;
});

/** The path of a file beside SKILL.md; one that is only a name is in scripts/. */
export const scriptFile = parsedBy((raw) =>
  supportPath(raw.includes("/") ? raw : `scripts/${raw}`),
);

/** The path of a file of a skill; SKILL.md is one, too. */
export const skillFile = parsedBy((raw) => (isDocument(raw) ? DOCUMENT : supportPath(raw)));

/** What is refused is a mistake in the arguments. */
function parsedBy(parse: (raw: string) => string) {
  return z.string().transform((raw, context) => {
    try {
      return parse(raw);
    } catch (error) {
      if (!(error instanceof CarrelError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });
}

/** A text as a file of a skill; one that begins as a script does can be run, unless it is said. */
export const textFile = (
  path: string,
  text: string,
  executable = text.startsWith("#!"),
): SkillFile => ({ path, content: { text }, executable });
