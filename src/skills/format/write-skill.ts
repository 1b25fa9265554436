import { stringify } from "yaml";

/** What a new SKILL.md is made of. `metadata`: further keys of its front matter. */
export type WrittenSkill = {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** Letters, digits and common marks on one line: what needs no escapes. */
const PLAIN = /^[\p{L}\p{N}\p{P}\p{S}](?:[\p{L}\p{N}\p{P}\p{S} ]*[\p{L}\p{N}\p{P}\p{S}])?$/u;

/**
 * The text of a SKILL.md. Whatever name and description are, `parseSkill` finds exactly them in it, and nothing of them
 * gets out of their value. The body begins with its first line that is not blank. What it says is not checked here.
 */
export function writeSkill({ name, description, body, metadata = {} }: WrittenSkill): string {
  const rest = Object.entries(metadata).filter(([key]) => key !== "name" && key !== "description");
  const lines = [["name", name], ["description", description], ...rest].map(([key, value]) =>
    stringify(new Map([[key, value]]), {
      // Text that needs an escape is written as JSON, on one line: no line of it can close the front matter.
      ...(typeof value === "string" && !PLAIN.test(value)
        ? { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", doubleQuotedAsJSON: true }
        : {}),
      lineWidth: 0,
      aliasDuplicateObjects: false,
    }),
  );
  const text = body.replace(/^(?:[^\S\r\n]*(?:\r\n|\n|\r(?!\n)))*/, "").trimEnd();
  return `---\n${lines.join("")}---\n\n${text}\n`;
}
