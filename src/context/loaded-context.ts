import { withoutMarks } from "../shared/memory-marks.ts";
import { cutAt } from "../shared/text.ts";
import type { Snapshot, SnapshotFile } from "../shared/workspace-snapshot.ts";
import type { LayerName } from "../shared/workspace-files.ts";
import { ruleOf } from "../workspace/layers/path-rules.ts";
import type { WorkspacePath } from "../workspace/layers/path.ts";
import { cutMemory } from "./memory-cut.ts";
import { missingPart, notTextPart, partOf, type PromptPart } from "./prompt-report.ts";
import {
  AGENTS,
  KNOWLEDGE,
  KNOWLEDGE_DIRECTORY,
  MEMORY,
  type PromptLimits,
  type PromptOptions,
} from "./prompt-sources.ts";
import { element, fit, NOTICE_ROOM } from "./sections.ts";
import type { TaggedFile } from "./tags.ts";
import { estimateTokens } from "./tokens.ts";

type Loading = {
  readonly sources: PromptOptions;
  readonly snapshot: Snapshot;
  readonly files: readonly TaggedFile[];
  readonly neutralise: (text: string) => string;
  readonly limits: PromptLimits;
  /** Characters left for everything but MEMORY.md. */
  readonly room: number;
  /** What the session context takes from `maxContextTokens`. */
  readonly sessionTokens: number;
};

/** A child of `<loaded_context>`. */
type Child = {
  readonly layer: LayerName | undefined;
  readonly text: string;
  readonly parts: readonly PromptPart[];
};

const INDENT = "    ";

type Room = { readonly cap: number; readonly room: number };

/** `<loaded_context>` with the workspace's files, what came of each, and what MEMORY.md was allowed to cost. */
export function loadedContext(loading: Loading) {
  const { limits, sources } = loading;
  let { room } = loading;
  const claim = (child: Child): Child => {
    room -= child.text.length;
    return child;
  };
  const agents = claim(fileChild(loading, AGENTS, "agents_context", { cap: limits.agents, room }));
  const knowledge = claim(knowledgeChild(loading, room));
  const files = [agents, knowledge, ...additionalChildren(loading, Math.min(limits.files, room))];

  const costs = files.reduce((sum, child) => sum + estimateTokens(child.text), 0);
  const left = sources.maxContextTokens - loading.sessionTokens - costs;
  const memoryTokens = sources.memory.isInjected ? Math.max(limits.memoryFloor, left) : null;
  // What all users share stands before what is one user's, so that the common beginning is as long as it can be.
  const children = [
    ...files.filter((child) => child.layer !== "own"),
    ...files.filter((child) => child.layer === "own"),
    ...(memoryTokens === null ? [] : [memoryChild(loading, memoryTokens)]),
  ];
  const body = children.flatMap((child) => child.text || []).join("\n");
  return {
    text: element("loaded_context", body, ""),
    parts: children.flatMap((child) => child.parts),
    memoryTokens,
  };
}

/** A file in its element; an empty element when it is blank or missing. */
function fileChild(loading: Loading, path: WorkspacePath, tag: string, space: Room): Child {
  const { layer, text, part } = fileText(loading, path, tag, space);
  return { layer, text: element(tag, text, "  "), parts: [part] };
}

/** The index with the list of all knowledge files under it. The list gets its room first: it leads to the rest. */
function knowledgeChild(loading: Loading, room: number): Child {
  const list = knowledgeList(loading, room);
  const index = fileText(loading, KNOWLEDGE, "domain_knowledge_context", {
    cap: loading.limits.knowledge,
    room: room - list.text.length,
  });
  const text = [index.text, list.text].filter(Boolean).join("\n\n");
  return {
    layer: index.layer,
    text: element("domain_knowledge_context", text, "  "),
    parts: [index.part, ...list.parts],
  };
}

/** One element a file, none for a file that is missing or blank. */
function additionalChildren(loading: Loading, room: number): Child[] {
  let left = room;
  return loading.files.map(({ path, tag }) => {
    const cap = loading.limits.file;
    const { layer, text, part } = fileText(loading, path, tag, { cap, room: left });
    left -= text.length;
    return { layer, text: text === "" ? "" : element(tag, text, "  "), parts: [part] };
  });
}

function memoryChild(loading: Loading, tokens: number): Child {
  const what = "memory_context";
  const file = find(loading, MEMORY);
  const { layer, text, part } =
    file?.text == null
      ? fileText(loading, MEMORY, what, { cap: 0, room: NOTICE_ROOM })
      : memoryText(loading, file, file.text, tokens);
  return { layer, text: element(what, text, "  "), parts: [part] };
}

function memoryText(loading: Loading, { layer }: SnapshotFile, text: string, tokens: number) {
  const { memory, hasFileTools } = loading.sources;
  const openFile = hasFileTools ? `Read it with read_file, path="${MEMORY}".` : "";
  const hint = memory.tools ? "Find the rest with memory_search." : openFile;
  const fitted = cutMemory(loading.neutralise(withoutMarks(text)), {
    tokens,
    indent: INDENT,
    hint,
  });
  const origin = { what: "memory_context", path: MEMORY, layer };
  const part = partOf(origin, fitted, `maxContextTokens leaves ${tokens} tokens for it.`);
  return { layer, text: fitted.text, part };
}

const find = ({ snapshot }: Loading, path: WorkspacePath): SnapshotFile | undefined =>
  snapshot.files.find((file) => file.path === path);

function fileText(
  loading: Loading,
  path: WorkspacePath,
  what: string,
  { cap, room }: Room,
): { readonly layer: LayerName | undefined; readonly text: string; readonly part: PromptPart } {
  const file = find(loading, path);
  if (!file) return { layer: undefined, text: "", part: missingPart({ what, path }) };
  const { layer } = file;
  const origin = { what, path, layer };
  const name = loading.neutralise(path);
  if (file.text === null) {
    const notice = `${INDENT}[${name} is not UTF-8 text, so it is left out.]`;
    const text = cutAt(notice, Math.max(0, room));
    return { layer, text, part: notTextPart(origin, file.size, text) };
  }
  const readOn = (lines: number) =>
    loading.sources.hasFileTools ? ` Read on with read_file, path="${name}", offset=${lines}.` : "";
  const isMemory = ruleOf(path).kind === "memory";
  const fitted = fit(loading.neutralise(isMemory ? withoutMarks(file.text) : file.text), {
    cap,
    room,
    indent: INDENT,
    notice: (shown, total, lines) =>
      `[${name} is cut here: ${shown} of ${total} characters are shown.${readOn(lines)}]`,
  });
  return { layer, text: fitted.text, part: partOf(origin, fitted) };
}

/** A path that would have to be changed to be harmless is not listed: every path shown can be read as shown (W2). */
function knowledgeList({ snapshot, neutralise, limits, sources }: Loading, room: number) {
  const listed = snapshot.lists.find((list) => list.directory === KNOWLEDGE_DIRECTORY);
  if (!listed || listed.total === 0) return { text: "", parts: [] };
  const lines = [`${INDENT}Knowledge files:`];
  let left = Math.min(limits.knowledgeList, room) - NOTICE_ROOM;
  for (const path of listed.paths) {
    const line = `${INDENT}- ${path}`;
    if (lines.length > limits.knowledgeEntries || line.length + 1 > left) break;
    if (neutralise(path) !== path) continue;
    lines.push(line);
    left -= line.length + 1;
  }
  const shown = lines.length - 1;
  const hidden = listed.total - shown;
  const see = sources.hasFileTools
    ? ` See them with list_files, path="${KNOWLEDGE_DIRECTORY}".`
    : "";
  if (hidden > 0) lines.push(`${INDENT}[${hidden} more files are not listed here.${see}]`);
  const text = lines.join("\n");
  const part: PromptPart = {
    what: "knowledge_files",
    path: KNOWLEDGE_DIRECTORY,
    chars: text.length,
    shown: text.length,
    tokens: estimateTokens(text),
    ...(hidden > 0
      ? { state: "cut", why: `${shown} of ${listed.total} files are listed.` }
      : { state: "loaded" }),
  };
  return { text, parts: [part] };
}
