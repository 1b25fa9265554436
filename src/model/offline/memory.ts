import { say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { back, factsIn } from "./facts.ts";
import { showOutcomes } from "./outcomes.ts";

const REMEMBER =
  /^(?:please |can you |could you |and )*(?:remember|keep in mind|note(?: down)?|don't forget|do not forget)(?:\s+that)?[:,]?\s+(.+)$/is;

const RECALL: readonly RegExp[] = [
  /\bwhat (?:do|did) you (?:know|remember|have) (?:about|of) (?:me|us|my .+|our .+?)[?.! ]*$/,
  /\bdo you remember\b(?! my )/,
  /\bwhat (?:did|have) i (?:ask(?:ed)?|tell|told) you to remember\b/,
  /\bwhat should you remember\b/,
];

/** Saves what is to be remembered and finds it again, with the memory tools where they are offered. */
export function answerMemory(talk: Conversation): Answer | null {
  if (RECALL.some((pattern) => pattern.test(talk.plain))) return recall(talk);
  const wish = wishIn(talk.said);
  return wish === null ? null : remember(talk, wish);
}

function remember(talk: Conversation, wish: string): Answer {
  const saved = talk.outcomes.findLast((outcome) => outcome.call.name === "memory_save");
  if (saved?.result.status === "success") return say(`I will remember: ${wish}`);
  if (saved) return say(`It was not saved.\n\n${showOutcomes([saved])}`);
  if (offers(talk, "memory_save"))
    return use({ name: "memory_save", input: { content: `- ${wish}` } });
  return say(
    `Saving to long-term memory is not available yet, but as long as we are in this conversation I can look it up again: ${wish}`,
  );
}

function recall(talk: Conversation): Answer {
  const found = talk.outcomes.findLast((outcome) => outcome.call.name === "memory_search");
  if (found?.result.status === "success")
    return say(`This is what my memory holds:\n\n${found.text}`);
  if (found) return say(showOutcomes([found]));
  if (offers(talk, "memory_search"))
    return use({ name: "memory_search", input: { query: queryOf(talk.said) } });
  const wishes = talk.earlier.flatMap((message) => wishIn(message) ?? []);
  const facts = factsIn(talk.earlier.filter((message) => wishIn(message) === null)).map(back);
  const known = [...wishes, ...facts].map((line) => `- ${line}`);
  if (known.length === 0)
    return say("Nothing yet: you have not told me anything to remember in this conversation.");
  return say(`From this conversation:\n\n${[...new Set(known)].join("\n")}`);
}

function wishIn(said: string): string | null {
  const wish = REMEMBER.exec(said.replaceAll("’", "'"))?.[1]?.trim();
  if (!wish || wish.endsWith("?") || /^when\b/i.test(wish)) return null;
  return wish.charAt(0).toUpperCase() + wish.slice(1);
}

function queryOf(said: string): string {
  const about =
    /\b(?:about|of|remember)\s+(?:about\s+)?(.{2,200}?)[?.! ]*$/is.exec(said)?.[1] ?? said;
  return /^(?:me|us)$/i.test(about) ? "user" : about;
}
