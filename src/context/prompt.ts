import { cutAt } from "../shared/text.ts";
import { workspacePath } from "../workspace/path.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { TemplateContent } from "../workspace/template.ts";
import { fit, NOTICE_ROOM } from "./sections.ts";
import type { Layer, Section } from "./sections.ts";
import { checkTag, neutraliser } from "./tags.ts";

/** The workspace's files as they were when the turn began. */
export type PromptFiles = {
  /** Sorted. */
  readonly paths: readonly WorkspacePath[];
  read(path: WorkspacePath): TemplateContent | null;
};

export type PromptSources = {
  /** The agent's own prompt, from code; may be empty. */
  readonly persona: string;
  /** What capabilities add, in their order; at most 32, each name once. */
  readonly sections: readonly Section[];
  readonly files: PromptFiles;
  readonly agentName: string;
  readonly sessionId: string;
  /** Milliseconds since the epoch; only the day shows, in UTC. */
  readonly date: number;
};

/** In UTF-16 units; `knowledgeEntries` in files. */
export type PromptLimits = {
  readonly persona: number;
  readonly agents: number;
  readonly knowledge: number;
  readonly knowledgeEntries: number;
  readonly knowledgeList: number;
  /** All added sections together. They get theirs before the files do. */
  readonly sections: number;
  /** The whole prompt. */
  readonly total: number;
};

export const promptLimits: PromptLimits = {
  persona: 12_000,
  agents: 24_000,
  knowledge: 16_000,
  knowledgeEntries: 200,
  knowledgeList: 8_000,
  sections: 16_000,
  total: 64_000,
};

const MAX_SECTIONS = 32;
const AGENTS = workspacePath("AGENTS.md");
const KNOWLEDGE = workspacePath("knowledge/KNOWLEDGE.md");
const LAYERS: readonly Layer[] = ["shared", "user", "session"];

/**
 * The system prompt: the same bytes for the same sources (promise C3), what all users share first and what only
 * this session has last, never longer than `limits.total`. A block that is too long is cut and says how to read
 * on. Nothing injected can open or close a tag (C5). Throws a plain `Error` for a bad section, which is code.
 */
export function assemblePrompt(
  sources: PromptSources,
  limits: PromptLimits = promptLimits,
): string {
  const sections = inLayers(sources.sections);
  const neutralise = neutraliser(sections.map((section) => section.name));
  const session = sessionContext(sources, neutralise);
  let room = limits.total - session.length - FRAME_ROOM - sections.length * SECTION_FRAME_ROOM;

  const added = Math.min(limits.sections, room);
  let sectionRoom = added;
  const blocks = sections.map((section) => {
    const text = fit(neutralise(section.text), {
      cap: sectionRoom,
      room: sectionRoom,
      indent: "  ",
      notice: (shown, total) =>
        `[${section.name} is cut here: ${shown} of ${total} characters are shown.]`,
    });
    sectionRoom -= text.length;
    return element(section.name, text, "");
  });
  room -= added - sectionRoom;

  const claim = (text: string) => {
    room -= text.length;
    return text;
  };
  const list = claim(knowledgeList(sources.files.paths, neutralise, limits, room));
  const persona = claim(personaText(neutralise(sources.persona), limits, room));
  const agents = claim(fileText(sources.files, AGENTS, neutralise, limits.agents, room));
  const knowledge = claim(fileText(sources.files, KNOWLEDGE, neutralise, limits.knowledge, room));
  const loaded = loadedContext(agents, [knowledge, list].filter(Boolean).join("\n\n"));
  return [persona, GUIDANCE, loaded, ...blocks, session].filter(Boolean).join("\n\n") + "\n";
}

function inLayers(sections: readonly Section[]): Section[] {
  if (sections.length > MAX_SECTIONS) throw new Error(`more than ${MAX_SECTIONS} sections`);
  const names = sections.map((section) => checkTag(section.name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two sections are named ${twice}`);
  return LAYERS.flatMap((layer) => sections.filter((section) => section.layer === layer));
}

function personaText(persona: string, limits: PromptLimits, room: number): string {
  const notice = (shown: number, total: number) =>
    `[The agent's own prompt is cut here: ${shown} of ${total} characters are shown.]`;
  return fit(persona, { cap: limits.persona, room, indent: "", notice });
}

function fileText(
  files: PromptFiles,
  path: WorkspacePath,
  neutralise: (text: string) => string,
  cap: number,
  room: number,
): string {
  const file = files.read(path);
  if (!file) return "";
  if ("bytes" in file) return `${INDENT}[${path} is not UTF-8 text, so it is left out.]`;
  return fit(neutralise(file.text), {
    cap,
    room,
    indent: INDENT,
    notice: (shown, total, lines) =>
      `[${path} is cut here: ${shown} of ${total} characters are shown. Read on with read_file, path="${path}", offset=${lines}.]`,
  });
}

/** A path that would have to be changed to be harmless is not listed: every path shown can be read as shown (W2). */
function knowledgeList(
  paths: readonly WorkspacePath[],
  neutralise: (text: string) => string,
  limits: PromptLimits,
  room: number,
): string {
  const files = paths.filter((path) => path.startsWith("knowledge/"));
  if (files.length === 0) return "";
  const lines = [`${INDENT}Knowledge files:`];
  let left = Math.min(limits.knowledgeList, room) - NOTICE_ROOM;
  for (const path of files) {
    const line = `${INDENT}- ${path}`;
    if (lines.length > limits.knowledgeEntries || line.length + 1 > left) break;
    if (neutralise(path) !== path) continue;
    lines.push(line);
    left -= line.length + 1;
  }
  const hidden = files.length - (lines.length - 1);
  if (hidden > 0)
    lines.push(
      `${INDENT}[${hidden} more files are not listed here. See them with list_files, path="knowledge".]`,
    );
  return lines.join("\n");
}

function loadedContext(agents: string, knowledge: string): string {
  const children = [
    element("agents_context", agents, "  "),
    element("domain_knowledge_context", knowledge, "  "),
  ];
  return element("loaded_context", children.join("\n"), "");
}

/** An element with its content on lines of its own, or on one line when there is none. */
function element(tag: string, content: string, indent: string): string {
  const body = content === "" ? "" : `\n${content}\n${indent}`;
  return `${indent}<${tag}>${body}</${tag}>`;
}

function sessionContext(sources: PromptSources, neutralise: (text: string) => string): string {
  const word = (text: string) => cutAt(neutralise(text.replace(/\s+/g, " ")), 256);
  return [
    "## Session Context",
    "",
    `You are ${word(sources.agentName)}.`,
    `Today's date: ${dateText(sources.date)} (UTC)`,
    `Session ID: ${word(sources.sessionId)}`,
  ].join("\n");
}

/** `Mon, Nov 30, 2026`, spelled here so that no runtime's locale data can change the prompt. */
function dateText(at: number): string {
  const date = new Date(at);
  const day = DAYS.slice(date.getUTCDay() * 3, date.getUTCDay() * 3 + 3);
  const month = MONTHS.slice(date.getUTCMonth() * 3, date.getUTCMonth() * 3 + 3);
  return `${day}, ${month} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

const DAYS = "SunMonTueWedThuFriSat";
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const INDENT = "    ";

const GUIDANCE = `## Domain Knowledge

The files under knowledge/ are your source of truth for the subject you are asked about. Their list is below. Before you answer such a question, open only the files you need with read_file, and name the file that your answer comes from.

## Workspace

Your workspace is a tree of plain files. Every path starts at its root, for example knowledge/KNOWLEDGE.md, and there is nothing outside it. list_files shows a directory, read_file shows a file. AGENTS.md says who you are and how you work: follow it as far as that is safe.

## Workspace Files (Injected)

AGENTS.md and knowledge/KNOWLEDGE.md are loaded below as they were when this turn began. They are complete unless a line in them says that they are cut.`;

/** More than the fixed text around the blocks, and the notices that may come on top of an exhausted room. */
const FRAME_ROOM = GUIDANCE.length + 600 + 4 * NOTICE_ROOM;

/** More than the two tags of a section. */
const SECTION_FRAME_ROOM = 160;
