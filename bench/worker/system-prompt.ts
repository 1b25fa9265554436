const list = (count: number, line: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join("\n");

/** A system prompt of 3.9 KB, about what an agent with a persona, some memory and some skills has. Every target sends it. */
export const SYSTEM_PROMPT = `# AGENTS.md
You are Atlas, an assistant for the user's project.
${list(24, (n) => `- Rule ${n}: keep answers short, cite the file you used, and never guess about section ${n}.`)}

# MEMORY.md
${list(16, (n) => `- 2026-0${((n - 1) % 9) + 1}-1${n % 10}: the user prefers option ${n} for topic ${n}.`)}

# Knowledge index
${list(10, (n) => `- knowledge/doc-${n}.md: notes about subject ${n}`)}

# Skills
${list(8, (n) => `- skill-${n}: does task ${n} for the user when asked`)}
`;
