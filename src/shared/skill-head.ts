import { cutAt } from "./text.ts";

/** Front matter that is longer is not read (AgentScope's limit, in characters). */
export const MAX_FRONT_MATTER = 16_384;
const REST_CHARS = 400;

/**
 * The beginning of a SKILL.md: its front matter with the lines around it, and up to 400 characters of what follows, so that
 * who reads it can tell whether there is a body. At most 17,000 characters; the whole text where that is shorter.
 */
export function headOf(text: string): string {
  const fence = /^---[ \t]*\r?$/gm;
  const first = fence.exec(text);
  const second = first && first.index < 64 ? fence.exec(text) : null;
  const end = second && second.index <= MAX_FRONT_MATTER ? fence.lastIndex : MAX_FRONT_MATTER;
  return cutAt(text, end + REST_CHARS);
}
