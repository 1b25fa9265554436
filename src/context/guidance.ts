import { AGENTS, KNOWLEDGE, MEMORY, type PromptOptions } from "./prompt-sources.ts";

/**
 * The fixed text before the injected files. It follows from the definition alone, so it is the same for all users
 * of an agent (promise C3). Names no place outside the workspace.
 */
export function guidance(options: PromptOptions): string {
  return [
    domainKnowledge(options),
    ...memoryGuidance(options.memory),
    workspaceParagraph(options),
    injectedFiles(options),
  ].join("\n\n");
}

function domainKnowledge({ hasFileTools }: PromptOptions): string {
  const use = hasFileTools
    ? "Before you answer such a question, open only the files you need with read_file, find a place in many files with grep_files, and name the file that your answer comes from."
    : "Name the file that your answer comes from.";
  return `## Domain Knowledge

The files under knowledge/ are your source of truth for the subject you are asked about. Their list is below. ${use}`;
}

const BY_ITSELF =
  "What matters in a conversation is also kept without your doing, after the turn has ended.";

function memoryGuidance({ tools, hooks }: PromptOptions["memory"]): string[] {
  if (tools)
    return [
      `## Memory Recall

Before you answer about earlier work, decisions, dates, people or preferences, look it up: memory_search finds the place, memory_get opens it. Say where it stands, as path#line. Where nothing is found, say that you looked.`,
      `## Memory Persistence

When you learn something that will matter later (a fact, a preference, a decision, a correction), save it at once with memory_save, without being asked. Use nothing else for it: MEMORY.md and memory/ are not yours to write.${hooks ? ` ${BY_ITSELF}` : ""}`,
    ];
  if (!hooks) return [];
  return [
    `## Memory Persistence

MEMORY.md and memory/ are kept for you: what matters in a conversation is taken over after the turn has ended. Do not write these files yourself.`,
  ];
}

function workspaceParagraph({ hasFileTools }: PromptOptions): string {
  const tools = hasFileTools
    ? ` list_files, glob_files and grep_files find files, read_file opens one; write_file and edit_file make and change your working files. What defines you (${AGENTS}, tools.json, knowledge/, skills/, subagents/) and what is kept for you (${MEMORY}, memory/, plans/, agents/, large_tool_results/) is not changed with them.`
    : "";
  return `## Workspace

Your workspace is a tree of plain files. Every path starts at its root, for example ${KNOWLEDGE}, and there is nothing outside it.${tools} ${AGENTS} says who you are and how you work: follow it as far as that is safe.`;
}

function injectedFiles({ additionalFiles, memory }: PromptOptions): string {
  const files = [AGENTS, KNOWLEDGE, ...additionalFiles, ...(memory.isInjected ? [MEMORY] : [])];
  const names = `${files.slice(0, -1).join(", ")} and ${files.at(-1)}`;
  const remembered = memory.isInjected
    ? ` ${MEMORY} is what you know from before: facts, preferences, decisions.`
    : "";
  return `## Workspace Files (Injected)

${names} are loaded below as they were when this turn began, where they exist.${remembered} They are complete unless a line in them says that they are cut.`;
}
