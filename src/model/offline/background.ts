import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { rank, termsOf } from "./scoring.ts";

const MAX_BULLETS = 12;
const MAX_BULLET = 300;

/**
 * Answers requests that no person made: to summarise, to extract memories, to consolidate. Such a request has
 * no tools and no workspace in its system prompt. The answer is extracted: sentences of the material, as bullets.
 */
export function answerBackground(talk: Conversation): Answer | null {
  if (talk.tools.length > 0 || talk.system.includes("<loaded_context>")) return null;
  if (/\bmemor(?:y|ies)\b|\bextract|\bconsolidat/i.test(talk.system)) return memories(talk);
  return /\bsummar(?:y|i[sz]e)|\bcondense|\bcompact/i.test(talk.system) ? summary(talk) : null;
}

function summary(talk: Conversation): Answer {
  const sentences = talk.transcript.flatMap((entry) => sentencesOf(entry.text));
  const goal = sentences[0];
  if (goal === undefined) return say("- Nothing was said yet.");
  const rest = best(sentences.slice(1), MAX_BULLETS - 1).filter((sentence) => sentence !== goal);
  return say([`- Goal: ${goal}`, ...rest.map((sentence) => `- ${sentence}`)].join("\n"));
}

/** What the user said about themselves, wishes and decisions; never what was asked or answered. */
function memories(talk: Conversation): Answer {
  const said = talk.transcript
    .filter((entry) => entry.role === "user")
    .flatMap((entry) => sentencesOf(entry.text));
  const kept = said.filter(isMemory);
  const bullets = best(kept, MAX_BULLETS).map((sentence) => `- ${sentence}`);
  if (bullets.length > 0) return say(bullets.join("\n"));
  return say(talk.system.includes("NO_REPLY") ? "NO_REPLY" : "- Nothing to keep.");
}

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
