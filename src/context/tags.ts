import type { WorkspacePath } from "../workspace/layers/path.ts";

/** Every tag that the prompt or a message uses now or in a later release, so that no file can open or close one. */
const RESERVED: readonly string[] = [
  "loaded_context",
  "agents_context",
  "memory_context",
  "domain_knowledge_context",
  "available_skills",
  "skill",
  "subagents",
  "attached_file",
  "conversation_summary",
  "kept_results",
  "kept_result",
  "output_format",
  "system-reminder",
  "task_result",
  "messages",
];

const TAG = /^[a-z][a-z0-9_]{0,63}$/;

/** What nobody sees in a tag. None of it is `<`, so that a text is looked through once for each name at most. */
const UNSEEN = String.raw`\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;

/** Leaves room for a suffix. */
const MAX_FILE_TAG = 60;

/** A tag that an added section may use. Throws a plain `Error`: names come from code. */
export function checkTag(name: string): string {
  if (!TAG.test(name)) throw new Error(`not a tag name: ${JSON.stringify(name)}`);
  return name;
}

/**
 * Makes injected text unable to open or close a tag of the prompt (promise C5): the `<` before one, also with
 * spaces, controls, invisible characters or capitals, or before a longer name that begins like one, becomes `&lt;`.
 * All other markup stays as it is. `added` are the tags of this prompt beside the reserved ones. Doing it twice
 * changes nothing.
 */
export function neutraliser(added: readonly string[]): (text: string) => string {
  const spaced = [...RESERVED, ...added.map(checkTag)].map((name) =>
    Array.from(name).join(`[${UNSEEN}]*`),
  );
  const opening = new RegExp(`<(?=[/${UNSEEN}]*(?:${spaced.join("|")}))`, "giu");
  return (text) => text.replace(opening, "&lt;");
}

export type TaggedFile = { readonly path: WorkspacePath; readonly tag: string };

/**
 * The tag of each file, as AgentScope makes it: its path in lower case with `_` for everything but letters and
 * digits, so `SOUL.md` stands in `soul_md`. What would begin with no letter begins with `file_`; what is reserved, in
 * `taken` or an earlier file's ends with `_2`, `_3` and so on.
 */
export function tagFiles(paths: readonly WorkspacePath[], taken: readonly string[]): TaggedFile[] {
  const used = new Set([...RESERVED, ...taken]);
  return paths.map((path) => {
    const plain = path.toLowerCase().replace(/[^a-z0-9]/g, "_");
    const base = (/^[a-z]/.test(plain) ? plain : `file_${plain}`).slice(0, MAX_FILE_TAG);
    let tag = base;
    for (let no = 2; used.has(tag); no++) tag = `${base}_${no}`;
    used.add(tag);
    return { path, tag };
  });
}
