import { cutAt } from "../../shared/text.ts";
import { listed, say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { isQuestion } from "./knowledge.ts";
import { showOutcomes } from "./outcomes.ts";
import { paragraphsOf } from "./paragraphs.ts";
import { termsOf } from "./scoring.ts";
import { type ListedSkill, readSkills } from "./workspace-context.ts";

const LOAD = "load_skill_through_path";

const ASKS_FOR_LIST: readonly RegExp[] = [
  /\b(?:what|which) skills (?:do you (?:have|know)|have you|are (?:there|available)|can (?:you|i) use|exist)\b/,
  /^(?:please |can you |could you )*(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| your| my)?(?: available)? skills\b/,
  /^(?:do you have|have you(?: got)?)(?: any)? skills\b/,
];

/** `use the skill pdf`, and `use the pdf skill`. */
const ASKS_TO_USE: readonly RegExp[] = [
  /\b(?:use|load|apply|follow|try) (?:the |your |my )?skill (?:called |named )?[`"']?([^\s`"',:;!?]{1,200})/i,
  /\b(?:use|load|apply|follow|try) (?:the |your |my )?[`"']?([^\s`"',:;!?]{1,200})[`"']? skill\b/i,
];

const NO_NAME = /^(?:an?|any|another|some|this|that|these|which|what|the|your|my|no|right|best)$/i;

const MAX_LISTED = 30;
const MAX_DESCRIPTION = 300;
const MAX_STEPS = 5;
const MAX_STEP = 300;
const MAX_QUOTE = 800;
const MAX_FILES = 10;

/** A request is for a skill when so much of it is in what the skill says about itself. */
const MIN_COVERAGE = 0.6;
const MIN_SHARED = 3;

/** Says which skills there are, and loads the one that is named. */
export function answerSkills(talk: Conversation): Answer | null {
  if (ASKS_FOR_LIST.some((pattern) => pattern.test(talk.plain))) return say(listOf(talk));
  const wanted = wantedIn(talk);
  return wanted === null ? null : load(talk, wanted);
}

/** Loads the skill that a request is clearly for, and says what it tells to do. */
export function answerBySkill(talk: Conversation): Answer | null {
  const skill = offers(talk, LOAD) ? skillFor(talk) : null;
  return skill && load(talk, skill.id);
}

function listOf(talk: Conversation): string {
  const { skills, unlisted } = readSkills(talk.system);
  if (skills.length === 0)
    return "I have no skills here. A skill is a directory under `skills/` with a `SKILL.md` in it that says how a kind of work is done.";
  const lines = skills
    .slice(0, MAX_LISTED)
    .map(({ name, description }) => `- **${name}**: ${cutAt(description, MAX_DESCRIPTION)}`);
  const more = skills.length - lines.length + unlisted;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  const first = skills[0]?.name ?? "";
  return `These are my skills:\n\n${[...lines, ...rest].join("\n")}\n\nSay "use the skill ${first}" to see one at work.`;
}

/** The id of a skill that the message names, or what it calls one that is not listed. */
function wantedIn({ said, system }: Conversation): string | null {
  const named = ASKS_TO_USE.flatMap((pattern) => pattern.exec(said)?.[1] ?? [])
    .map((name) => name.replace(/[.]+$/, ""))
    .filter((name) => name !== "" && !NO_NAME.test(name));
  if (named.length === 0) return null;
  const { skills } = readSkills(system);
  const isNamed = ({ name, id }: ListedSkill) =>
    named.some((each) => [name, id].some((known) => known.toLowerCase() === each.toLowerCase()));
  return skills.find(isNamed)?.id ?? named[0] ?? null;
}

function load(talk: Conversation, skillId: string): Answer {
  const loaded = talk.outcomes.findLast((outcome) => outcome.call.name === LOAD);
  if (loaded?.result.status === "success") return say(reportOf(loaded));
  if (loaded) return say(showOutcomes([loaded]));
  if (!offers(talk, LOAD))
    return say(`I cannot load a skill: the tool \`${LOAD}\` is not offered to me here.`);
  return use({ name: LOAD, input: { skillId, path: "SKILL.md" } });
}

/** What a skill tells to do first, and that it is the one that was used. */
function reportOf({ text }: Outcome): string {
  const name = /^Skill: (.*)$/m.exec(text)?.[1] ?? "";
  const id = /^Id: (.*)$/m.exec(text)?.[1] ?? "";
  const files = otherFiles(text).map((path) => `\`${path}\``);
  return [
    `I loaded the skill **${name}** (\`${id}\`). It says:`,
    beginningOf(documentIn(text)),
    ...(files.length > 0 ? [`It comes with ${listed(files)}.`] : []),
    "I am only rules, so this is as far as I get: a real model would load it by itself, and then do what it says.",
  ].join("\n\n");
}

/** The text in the first fence of what the tool shows. */
function documentIn(shown: string): string {
  const [opening = "", fence = ""] = /^(`{4,})\n/m.exec(shown) ?? [];
  const start = shown.indexOf(opening) + opening.length;
  const end = shown.indexOf(`\n${fence}`, start - 1);
  return opening === "" ? "" : shown.slice(start, end < 0 ? undefined : end);
}

/** The first steps where there are some, else the first paragraphs. */
function beginningOf(document: string): string {
  const paragraphs = paragraphsOf(document, "SKILL.md").map(({ text }) => text);
  const list = paragraphs.find((text) => /^\s*1[.)]\s/m.test(text));
  const steps = (list ?? "").split("\n").filter((line) => /^\d+[.)]\s/.test(line));
  const lines = steps.slice(0, MAX_STEPS).map((line) => cutAt(line, MAX_STEP));
  if (lines.length > 1) return lines.join("\n");
  const quoted = cutAt(paragraphs.slice(0, 2).join("\n\n"), MAX_QUOTE);
  return quoted === "" ? "nothing yet: it is empty." : quoted;
}

function otherFiles(shown: string): string[] {
  const foot = shown.slice(shown.lastIndexOf("\nIts other files"));
  if (!foot.startsWith("\nIts other files")) return [];
  return foot
    .split("\n")
    .flatMap((line) => /^- (\S.*)$/.exec(line)?.[1] ?? [])
    .slice(0, MAX_FILES);
}

/** The skill whose name or description says what is asked for; `null` when that is not clear, or it was only asked about. */
function skillFor({ plain, system }: Conversation): ListedSkill | null {
  const wish = plain.replace(/^(?:please |can you |could you )*/, "");
  const request = /^[^.:;?!]{0,200}\??/.exec(wish)?.[0] ?? "";
  if (isQuestion(wish === plain ? request : request.replace("?", ""))) return null;
  const fits = readSkills(system).skills.map((skill) => ({ skill, fit: fitOf(request, skill) }));
  const [best] = fits.toSorted((a, b) => b.fit - a.fit);
  return best && best.fit > 0 ? best.skill : null;
}

/** More than 1 where the whole name is said, else how much of what is asked the skill covers; 0: too little. */
function fitOf(request: string, { name, description }: ListedSkill): number {
  const said = new Set(wordsIn(request));
  const names = wordsIn(name);
  if (names.length > 1 && names.every((word) => said.has(word))) return names.length;
  const asked = [...new Set(termsOf(request))];
  const about = new Set([...termsOf(names.join(" ")), ...termsOf(description)]);
  const shared = asked.filter((term) => about.has(term));
  const coverage = shared.length / Math.max(1, asked.length);
  return shared.length >= MIN_SHARED && coverage >= MIN_COVERAGE ? coverage : 0;
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
