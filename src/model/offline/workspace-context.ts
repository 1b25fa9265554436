/** What the system prompt says about the agent and its knowledge. Missing parts are empty. */
export type WorkspaceContext = {
  readonly agents: string;
  /** `knowledge/KNOWLEDGE.md`. */
  readonly index: string;
  /** Paths of the knowledge files, as listed, without the index. */
  readonly files: readonly string[];
};

/** A skill as the prompt lists it. */
export type ListedSkill = {
  readonly name: string;
  readonly description: string;
  readonly id: string;
};

/** The skills that the prompt lists, in its order, and how many it says there are beside. */
export function readSkills(system: string): {
  readonly skills: readonly ListedSkill[];
  readonly unlisted: number;
} {
  const list = elementOf(system, "available_skills");
  const [head = "", ...entries] = list.split("<skill>");
  const skills = entries.map((entry) => ({
    name: fieldOf(entry, "name"),
    description: fieldOf(entry, "description"),
    id: fieldOf(entry, "skill-id"),
  }));
  return {
    skills: skills.filter(({ name, id }) => name !== "" && id !== ""),
    unlisted: Number(/^(\d+) more are not listed/m.exec(head)?.[1] ?? 0),
  };
}

/** The value of a field, which stands on one line, as it was before it was made safe. */
function fieldOf(entry: string, tag: string): string {
  const value = new RegExp(`<${tag}>([^<\\n]*)</${tag}>`).exec(entry)?.[1] ?? "";
  return value.replace(/&(?:lt|gt|amp);/g, (sign) => SIGNS[sign] ?? sign);
}

const SIGNS: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Reads the blocks by their tags: nothing but the prompt's own frame can hold those (promise C5). */
export function readWorkspaceContext(system: string): WorkspaceContext {
  const knowledge = elementOf(system, "domain_knowledge_context");
  const at = knowledge.lastIndexOf("Knowledge files:\n");
  const list = at < 0 ? "" : knowledge.slice(at);
  const files = list
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? line.slice(2) : []))
    .filter((path) => !path.endsWith("/KNOWLEDGE.md"));
  return {
    agents: elementOf(system, "agents_context"),
    index: (at < 0 ? knowledge : knowledge.slice(0, at)).trim(),
    files,
  };
}

/** The content of an element, without its indentation. */
function elementOf(system: string, tag: string): string {
  const start = system.indexOf(`<${tag}>`);
  const end = system.indexOf(`</${tag}>`, start);
  if (start < 0 || end < 0) return "";
  const lines = system.slice(start + tag.length + 2, end).split("\n");
  const indents = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const indent = indents.reduce((least, each) => Math.min(least, each), Infinity);
  return lines
    .map((line) => line.slice(Math.min(indent, line.length)))
    .join("\n")
    .trim();
}
