import { shortHash } from "../../shared/short-hash.ts";
import type { LoadAnswer } from "../../shared/skills-api.ts";
import { cutAt } from "../../shared/text.ts";
import { imagePart, imageTypeOf } from "../../tools/files/image.ts";
import { mediaTypeOf } from "../../tools/media-type.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import { count } from "../../tools/truncate.ts";
import type { CatalogueSkill, SkillSource } from "../catalogue/catalogue.ts";
import type { ToolGroup } from "../config.ts";
import { isDocument } from "./document.ts";
import { listed } from "./listed.ts";

/** What one result holds: the turn cuts what is beyond. */
const MAX_CHARACTERS = 100_000;
/** A file of a skill beside its SKILL.md stays in the context up to here. */
const MAX_KEPT = 20_000;
const MAX_KEEP_NAME = 200;
const MAX_IMAGE_BYTES = 1024 * 1024;
const MAX_PATHS = 100;
/** For the line that says what is left out, which names a path. */
const NOTICE_ROOM = 800;

type Shown = {
  readonly skill: CatalogueSkill;
  /** As it is written there. */
  readonly file: NonNullable<LoadAnswer["file"]>;
  readonly paths: readonly string[];
  /** Groups of tools that are activated by this. */
  readonly groups: readonly ToolGroup[];
};

/**
 * A file of a skill as the model sees it: where it is from, then its text whole, in a fence that it cannot end, as far as
 * one result holds it; an image as an image. With SKILL.md the paths of all other files.
 */
export function loadedOutput(shown: Shown): ToolOutput {
  const { file } = shown;
  if (!("text" in file.content)) return loadedBytes(shown, file.content.bytes);
  const { text } = file.content;
  const head = headOf(shown, `${count(text.length)} characters`);
  const foot = footOf(shown);
  const fence = fenceFor(text);
  const frame = head.length + foot.length + 2 * fence.length + NOTICE_ROOM;
  const whole = cutAt(text, MAX_CHARACTERS - frame);
  const body = [fence, `${whole}${whole.endsWith("\n") ? "" : "\n"}${fence}`].join("\n");
  const notice =
    whole.length === text.length
      ? []
      : [
          `[Cut here: ${count(whole.length)} of ${count(text.length)} characters are shown. read_file, if you have it, shows the rest of ${shown.skill.directory}/${file.path}.]`,
        ];
  const parts = [head, [body, ...notice].join("\n"), ...(foot === "" ? [] : [foot])];
  const isKept = isDocument(file.path) || text.length <= MAX_KEPT;
  return {
    content: [{ type: "text", text: parts.join("\n\n") }],
    ...(isKept ? { keep: keepName(shown) } : {}),
    ...(shown.groups.length > 0 ? { activates: shown.groups.map(({ name }) => name) } : {}),
  };
}

function loadedBytes(shown: Shown, bytes: Uint8Array): ToolOutput {
  const { file } = shown;
  const size = `${count(file.size)} bytes`;
  const mediaType = imageTypeOf(bytes);
  const head = headOf(shown, `${mediaType ?? mediaTypeOf(file.path)}, ${size}`);
  if (mediaType !== null && bytes.length <= MAX_IMAGE_BYTES)
    return [{ type: "text", text: head }, imagePart(mediaType, bytes)];
  const why =
    mediaType === null
      ? "It is not text, so it cannot be shown."
      : "Images of more than 1 MiB cannot be shown.";
  return `${head}\n\n[${why}]`;
}

function headOf({ skill, file, paths }: Shown, what: string): string {
  return [
    `Skill: ${skill.name}`,
    `Id: ${skill.id}`,
    `Source: ${sourceText(skill.source)}`,
    `File: ${file.path} (${what})`,
    `Other files: ${count(Math.max(0, paths.length - 1))}`,
  ].join("\n");
}

const sourceText = (source: SkillSource): string =>
  source.kind === "layer" ? source.layer : source.label;

function footOf({ file, paths, groups }: Shown): string {
  if (!isDocument(file.path)) return "";
  const others = paths.filter((path) => path !== file.path).map((path) => `- ${path}`);
  const tools = [...new Set(groups.flatMap((group) => group.tools.map(({ name }) => name)))];
  return [
    ...(tools.length > 0 ? [`From your next step on you have its tools: ${listed(tools)}.`] : []),
    ...(others.length > 0
      ? [
          "Its other files, each to be loaded with this tool by its path:",
          listed(others, { join: "\n", most: MAX_PATHS }),
        ]
      : []),
  ].join("\n");
}

/** Longer than any run of backticks in the text. */
function fenceFor(text: string): string {
  let longest = 3;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** Names what a skill's file says, whichever version of it. */
function keepName({ skill, file }: Shown): string {
  const name = `skill:${skill.name}/${file.path}`;
  return name.length <= MAX_KEEP_NAME ? name : `skill:${skill.name}/${shortHash(file.path)}`;
}
