import { cutAt } from "../shared/text.ts";
import { dayIn, UTC } from "../shared/time-zone.ts";
import type { Snapshot } from "../shared/workspace-snapshot.ts";
import { fitEntries } from "./entries.ts";
import { guidance } from "./guidance.ts";
import { loadedContext } from "./loaded-context.ts";
import { partOf, sectionPart, type PromptPart, type PromptReport } from "./prompt-report.ts";
import {
  promptLimits,
  type PromptLimits,
  type PromptOptions,
  type PromptSources,
} from "./prompt-sources.ts";
import { element, fit, NOTICE_ROOM, type Layer, type Section } from "./sections.ts";
import { checkTag, neutraliser, tagFiles } from "./tags.ts";
import { estimateTokens } from "./tokens.ts";

export type Prompt = { readonly text: string; readonly report: PromptReport };

const MAX_SECTIONS = 32;
const LAYERS: readonly Layer[] = ["shared", "user", "session"];

/** More than the fixed text between the blocks, and the notices that may come on top of an exhausted room. */
const FRAME_ROOM = 800 + 4 * NOTICE_ROOM;

/** More than the two tags of a section or an additional file. */
const ELEMENT_ROOM = 160;

/**
 * The system prompt: the same bytes for the same sources (promise C3), what all users share first and what only
 * this session has last; never longer than `limits.total` and 4 characters for each token of MEMORY.md. A block that
 * is too long is cut and says how to read on. Nothing injected can open or close a tag (C5). Throws a plain `Error`
 * for a bad section, which is code.
 */
export function assemblePrompt(
  sources: PromptSources,
  limits: PromptLimits = promptLimits,
): Prompt {
  const sections = inLayers(sources.sections);
  const files = sources.snapshot ? tagFiles(sources.additionalFiles, tagsOf(sections)) : [];
  const neutralise = neutraliser(promptTags(sources, sections));
  const fixed = sources.snapshot ? neutralise(guidance(sources)) : "";
  const session = sessionContext(sources, neutralise, limits);
  let room = limits.total - FRAME_ROOM - fixed.length - session.text.length;
  room -= (sections.length + files.length) * ELEMENT_ROOM;

  const added = addedSections(sections, neutralise, Math.min(limits.sections, room));
  room -= added.length;
  const persona = fit(neutralise(sources.persona), {
    cap: limits.persona,
    room,
    indent: "",
    notice: (shown, total) =>
      `[The agent's own prompt is cut here: ${shown} of ${total} characters are shown.]`,
  });
  room -= persona.text.length;
  const loaded =
    sources.snapshot &&
    loadedContext({
      sources,
      snapshot: sources.snapshot,
      files,
      neutralise,
      limits,
      room,
      sessionTokens: session.budgeted,
    });

  const blocks = [persona.text, fixed, loaded?.text, ...added.blocks, session.text];
  const text = blocks.filter(Boolean).join("\n\n") + "\n";
  const parts = [
    partOf({ what: "system_prompt" }, persona),
    ...(sources.snapshot ? [partOf({ what: "guidance" }, whole(fixed))] : []),
    ...(loaded?.parts ?? []),
    ...added.parts,
    ...session.parts,
  ];
  const memoryTokens = loaded?.memoryTokens ?? null;
  const report = { chars: text.length, tokens: estimateTokens(text), memoryTokens, parts };
  return { text, report };
}

/** The tags that a prompt of these has beside those that every one has. */
export function promptTags(
  { additionalFiles }: Pick<PromptOptions, "additionalFiles">,
  sections: readonly Pick<Section, "name" | "entries">[],
): readonly string[] {
  const tags = tagsOf(sections);
  return [...tags, ...tagFiles(additionalFiles, tags).map(({ tag }) => tag)];
}

/** Those of sections and of their entries, each once. */
const tagsOf = (sections: readonly Pick<Section, "name" | "entries">[]): readonly string[] => [
  ...new Set(
    sections.flatMap(({ name, entries = [] }) => [name, ...entries.map(({ tag }) => tag)]),
  ),
];

/** What the prompt of a session would be made of now, and what it costs (promise C9). Costs no call. */
export function describePrompt(
  options: PromptOptions,
  snapshot: Snapshot | null,
  session: Pick<PromptSources, "sessionId" | "date" | "zone"> & {
    readonly sections?: readonly Section[];
  },
): PromptReport & { readonly version: string | null } {
  const { report } = assemblePrompt({ ...options, sections: [], ...session, snapshot });
  return { version: snapshot?.version ?? null, ...report };
}

const whole = (text: string) => ({ text, shown: text.length, total: text.length });

function inLayers(sections: readonly Section[]): Section[] {
  if (sections.length > MAX_SECTIONS) throw new Error(`more than ${MAX_SECTIONS} sections`);
  const names = sections.map((section) => checkTag(section.name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two sections are named ${twice}`);
  return LAYERS.flatMap((layer) => sections.filter((section) => section.layer === layer));
}

function addedSections(
  sections: readonly Section[],
  neutralise: (text: string) => string,
  room: number,
) {
  let left = room;
  const parts: PromptPart[] = [];
  const blocks = sections.map(({ name, text, entries = [], unlisted = 0 }) => {
    // What is cut says so, and one line break is between the text and the entries.
    const space = entries.length === 0 ? left : left - NOTICE_ROOM;
    const fitted = fit(neutralise(text), {
      cap: space,
      room: space,
      indent: "  ",
      notice: (shown, total) => `[${name} is cut here: ${shown} of ${total} characters are shown.]`,
    });
    const listed = fitEntries(entries, left - fitted.text.length - 1);
    const content = [fitted.text, listed.text].filter(Boolean).join("\n");
    left -= content.length;
    parts.push(sectionPart(name, fitted, listed, unlisted));
    return element(name, content, "");
  });
  return { blocks, parts, length: room - left };
}

function sessionContext(
  sources: PromptSources,
  neutralise: (text: string) => string,
  limits: PromptLimits,
) {
  const { date, zone = UTC } = sources;
  const word = (text: string) => cutAt(text.replace(/\s+/g, " ").replaceAll("<", "&lt;"), 256);
  const head = [
    "## Session Context",
    "",
    `You are ${word(sources.agentName)}.`,
    `Today's date: ${dateText(dayIn(zone, date))} (${word(zone)})`,
    `Session ID: ${word(sources.sessionId)}`,
  ].join("\n");
  const environment = fit(neutralise(sources.environmentMemory), {
    cap: limits.environment,
    room: limits.environment + NOTICE_ROOM,
    indent: "",
    notice: (shown, total) => `[This is cut here: ${shown} of ${total} characters are shown.]`,
  });
  const parts = [partOf({ what: "session_context" }, whole(head))];
  if (environment.total > 0) parts.push(partOf({ what: "environment_memory" }, environment));
  return {
    text: [head, environment.text].filter(Boolean).join("\n\n"),
    parts,
    budgeted:
      SESSION_TOKENS + estimateTokens(word(sources.agentName)) + estimateTokens(environment.text),
  };
}

/**
 * What the head of the session context counts for in the budget of MEMORY.md, name apart: a constant, so that
 * neither the day nor the session moves the place where MEMORY.md is cut.
 */
const SESSION_TOKENS = 50;

/** `Mon, Nov 30, 2026` for `2026-11-30`, spelled here so that no runtime's locale data can change the prompt. */
function dateText(day: string): string {
  const date = new Date(day);
  const weekday = DAYS.slice(date.getUTCDay() * 3, date.getUTCDay() * 3 + 3);
  const month = MONTHS.slice(date.getUTCMonth() * 3, date.getUTCMonth() * 3 + 3);
  return `${weekday}, ${month} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

const DAYS = "SunMonTueWedThuFriSat";
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
