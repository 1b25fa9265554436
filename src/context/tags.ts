/** Every tag that the prompt uses now or in a later release, so that no file can open or close one. */
const RESERVED: readonly string[] = [
  "loaded_context",
  "agents_context",
  "memory_context",
  "domain_knowledge_context",
  "available_skills",
  "skill",
  "subagents",
  "attached_file",
];

const TAG = /^[a-z][a-z0-9_]{0,63}$/;

/** A tag that an added section may use. Throws a plain `Error`: names come from code. */
export function checkTag(name: string): string {
  if (!TAG.test(name)) throw new Error(`not a tag name: ${JSON.stringify(name)}`);
  return name;
}

/**
 * Makes injected text unable to open or close a tag of the prompt (promise C5): the `<` before one, also with
 * spaces, invisible characters or capitals, or before a longer name that begins like one, becomes `&lt;`. All
 * other markup stays as it is. `added` are the tags of this prompt beside the reserved ones. Doing it twice
 * changes nothing.
 */
export function neutraliser(added: readonly string[]): (text: string) => string {
  const names = [...RESERVED, ...added.map(checkTag)].join("|");
  const opening = new RegExp(`<(?=[\\s\\p{Cf}/]*(?:${names}))`, "giu");
  return (text) => text.replace(opening, "&lt;");
}
