import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { consolidated } from "./consolidation.ts";
import type { Conversation } from "./conversation.ts";
import { readDialogue } from "./dialogue.ts";
import { wishIn } from "./memory.ts";
import { rank, termsOf } from "./scoring.ts";

const MAX_BULLETS = 12;
const MAX_BULLET = 300;

/**
 * Answers requests that no person made: to summarise, to extract memories, to consolidate. Such a request has
 * no tools and no workspace in its system prompt. The answer is extracted: sentences of the material, as bullets.
 */
export function answerBackground(talk: Conversation): Answer | null {
  if (talk.tools.length > 0 || talk.system.includes("<loaded_context>")) return null;
  const isToShorten = talk.system.trim() === "" || /\bshortens? conversations\b/.test(talk.system);
  const asked = isToShorten ? talk.said : talk.system;
  if (asked.includes("SESSION INTENT")) return say(sections(talk));
  if (talk.system !== "" && isToShorten) return summary(talk);
  if (/"?operations"?/.test(talk.system) && /\bJSON\b/.test(talk.system))
    return say(consolidated(talk.said, charactersIn(talk.system)));
  if (/\bmemor(?:y|ies)\b|\bextract|\bconsolidat/i.test(talk.system)) return memories(talk);
  return /\bsummar(?:y|i[sz]e)|\bcondense|\bcompact/i.test(talk.system) ? summary(talk) : null;
}

/** How many characters a prompt says that MEMORY.md may have. */
const charactersIn = (system: string): number =>
  Number(/\babout (\d+) characters\b/.exec(system)?.[1] ?? Infinity);

function summary(talk: Conversation): Answer {
  const sentences = readDialogue(talk).said.flatMap((entry) => sentencesOf(entry.text));
  const goal = sentences[0];
  if (goal === undefined) return say("- Nothing was said yet.");
  const rest = best(sentences.slice(1), MAX_BULLETS - 1).filter((sentence) => sentence !== goal);
  return say([`- Goal: ${goal}`, ...rest.map((sentence) => `- ${sentence}`)].join("\n"));
}

/** The four sections of a summary that stands for a conversation. What an earlier summary says of its intent stays. */
function sections(talk: Conversation): string {
  const { before, said } = readDialogue(talk);
  const spoken = said.filter(({ role }) => role !== "tool");
  const users = spoken
    .filter(({ role }) => role === "user")
    .flatMap(({ text }) => sentencesOf(text));
  const all = [before, ...said.map(({ text }) => text)].join("\n");
  const intent = earlierIntent(all) ?? users[0] ?? "None";
  const facts = [...new Set([...earlierFacts(all), ...users.filter(isMemory).map(asFact)])];
  const others = spoken.flatMap(({ text }) => sentencesOf(text)).filter((one) => !isMemory(one));
  const room = Math.max(0, MAX_BULLETS - facts.length);
  const told = [...facts.slice(-2 * MAX_BULLETS), ...best(others, room)];
  const paths = [
    ...new Set(all.match(/\b[\w-]+(?:\/[\w.-]+)*\.(?:md|txt|json|ts|py|csv)\b/g) ?? []),
  ];
  const last = said.at(-1);
  const next = last?.role === "user" ? sentencesOf(last.text).at(-1) : undefined;
  return [
    `## SESSION INTENT\n${intent}`,
    `## SUMMARY\n${listOf(told.filter((sentence) => sentence !== intent))}`,
    `## ARTIFACTS\n${listOf(paths.slice(0, MAX_BULLETS))}`,
    `## NEXT STEPS\n${next ?? "None"}`,
  ].join("\n\n");
}

const listOf = (items: readonly string[]): string =>
  items.length === 0 ? "None" : items.map((item) => `- ${item}`).join("\n");

/** What a summary among the material says under its first heading; `null` where there is none. */
function earlierIntent(text: string): string | null {
  const intents = [...text.matchAll(/SESSION INTENT\W*\n+([^\n#]{4,})/g)];
  const intent = intents
    .map((match) => match[1]?.trim())
    .find((found) => found && found !== "None");
  return intent ?? null;
}

/** What a summary among the material lists of people and decisions. */
const earlierFacts = (text: string): string[] =>
  [...text.matchAll(/^#+ SUMMARY\W*\n((?:- .*\n?)*)/gm)].flatMap((match) =>
    sentencesOf(match[1] ?? "").filter(isMemory),
  );

/** What the user said about themselves, wishes and decisions; never what was asked or answered, nor what is known. */
function memories(talk: Conversation): Answer {
  const { before, said } = readDialogue(talk);
  const known = new Set(before.split("\n").map(comparable));
  const kept = said
    .filter((entry) => entry.role === "user")
    .flatMap((entry) => sentencesOf(entry.text))
    .filter(isMemory)
    .map(asFact)
    .filter((sentence) => !known.has(comparable(sentence)));
  const bullets = best(kept, MAX_BULLETS).map((sentence) => `- ${sentence}`);
  if (bullets.length > 0) return say(bullets.join("\n"));
  return say(talk.system.includes("NO_REPLY") ? "NO_REPLY" : "- Nothing to keep.");
}

/** What is to be remembered, without the wish. */
const asFact = (sentence: string): string => wishIn(sentence) ?? sentence;

const comparable = (line: string): string =>
  line
    .replace(/^\s*(?:[-*]|\d+\.)\s+/, "")
    .replace(/[.!\s]+$/, "")
    .toLowerCase();

function isMemory(sentence: string): boolean {
  if (sentence.endsWith("?") || /^\/|^assistant:/i.test(sentence)) return false;
  return (
    /^(?:[-*] )?(?:remember|note|don't forget)\b/i.test(sentence) ||
    /\b(?:my|our)\b.*\b(?:is|are|was|has|have)\b/i.test(sentence) ||
    /\b(?:i|we) (?:am|'m|are|live|work|like|love|prefer|want|need|use|hate|decided|agreed|will|always|never|have)\b/i.test(
      sentence,
    ) ||
    /\b(?:decided|decision|deadline|agreed|prefers?|must|due)\b/i.test(sentence) ||
    /\b\d{4}-\d\d-\d\d\b/.test(sentence)
  );
}

/** The sentences that share most with all of them, in the order they were said. */
function best(sentences: readonly string[], count: number): string[] {
  const unique = [...new Set(sentences)];
  if (unique.length <= count) return unique;
  const ranked = rank(
    frequentTerms(unique).join(" "),
    unique.map((text) => ({ text, hints: "" })),
  );
  const chosen = new Set(ranked.slice(0, count).map((entry) => entry.item.text));
  return unique.filter((sentence) => chosen.has(sentence));
}

function frequentTerms(sentences: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const term of sentences.flatMap(termsOf)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 30)
    .map(([term]) => term);
}

/** Without roles, tags and list marks; cut to one line of readable length. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/<\/?[a-z_]+>/gi, "\n")
    .split(/\n+|(?<=[.!?])\s+(?=[A-Z])/)
    .map((sentence) => sentence.replace(/^\s*(?:(?:user|human):|[-*]|\d+\.)\s*/i, "").trim())
    .filter((sentence) => sentence.length > 3)
    .map((sentence) =>
      sentence.length > MAX_BULLET ? `${sentence.slice(0, MAX_BULLET)}…` : sentence,
    );
}
