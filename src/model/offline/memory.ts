import { say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { back, factsIn, subjectAsked } from "./facts.ts";
import { foundIn, linesIn, type Found } from "./found-memory.ts";
import { showOutcomes } from "./outcomes.ts";
import { termsOf } from "./scoring.ts";

const REMEMBER =
  /^(?:please |can you |could you |and )*(?:remember|keep in mind|note(?: down)?|don't forget|do not forget)(?:\s+that)?[:,]?\s+(.+)$/is;

const FORGET =
  /^(?:please |can you |could you |and |now )*forget (?:about |that |the fact that |what i (?:said|told you) about )*(.+?)[.!? ]*$/is;

const RECALL: readonly RegExp[] = [
  /\bwhat (?:do|did) you (?:know|remember|have) (?:about|of) (?:me|us|my .+|our .+?)[?.! ]*$/,
  /(?<!how )\bdo you remember\b(?! my )/,
  /\bwhat (?:did|have) i (?:ask(?:ed)?|tell|told) you to remember\b/,
  /\bwhat should you remember\b/,
];

/** Words that stand in most of what people say about themselves: there is no better question for all of it. */
const ABOUT_A_PERSON = "user name prefers likes loves lives works uses wants decided deadline";

/** Saves what is to be remembered, finds it again and forgets it, with the memory tools where they are offered. */
export function answerMemory(talk: Conversation): Answer | null {
  if (RECALL.some((pattern) => pattern.test(talk.plain))) return recall(talk);
  const fact = recallFact(talk);
  if (fact) return fact;
  const wish = wishIn(talk.said);
  if (wish !== null) return remember(talk, wish);
  const past = pastIn(talk.said);
  return past === null ? null : forget(talk, past);
}

function remember(talk: Conversation, wish: string): Answer {
  const saved = lastOf(talk, "memory_save");
  if (saved?.result.status === "success") return say(`I will remember: ${wish}`);
  if (saved) return say(`It was not saved.\n\n${showOutcomes([saved])}`);
  if (offers(talk, "memory_save"))
    return use({ name: "memory_save", input: { content: `- ${wish}` } });
  return say(
    `Saving to long-term memory is not offered to me here, but as long as we are in this conversation I can look it up again: ${wish}`,
  );
}

function recall(talk: Conversation): Answer {
  const found = lastOf(talk, "memory_search");
  if (found && found.result.status !== "success") return say(showOutcomes([found]));
  if (found) return say(told(talk, found));
  if (offers(talk, "memory_search")) {
    const about = aboutIn(talk.said);
    const search = { name: "memory_search", input: { query: about ?? ABOUT_A_PERSON } };
    if (about !== null || !offers(talk, "memory_get")) return use(search);
    const page = { path: "MEMORY.md", startLine: 1, endLine: 200 };
    return use({ name: "memory_get", input: page }, search);
  }
  const wishes = talk.earlier.flatMap((message) => wishIn(message) ?? []);
  const facts = factsIn(talk.earlier.filter((message) => wishIn(message) === null)).map(back);
  const known = [...wishes, ...facts].map((line) => `- ${line}`);
  if (known.length === 0)
    return say("Nothing yet: you have not told me anything to remember in this conversation.");
  return say(`From this conversation:\n\n${[...new Set(known)].join("\n")}`);
}

/** Looks for what the user once said about themselves, where it was not in this conversation. */
function recallFact(talk: Conversation): Answer | null {
  const asked = subjectAsked(talk.plain);
  if (asked === null || !offers(talk, "memory_search")) return null;
  if (factsIn(talk.earlier).some((fact) => fact.subject === asked)) return null;
  const found = lastOf(talk, "memory_search");
  if (!found) return use({ name: "memory_search", input: { query: `my ${asked}` } });
  if (found.result.status !== "success") return say(showOutcomes([found]));
  const terms = termsOf(asked);
  const hits = remembered(found).filter(({ text }) => covers(text, terms));
  if (hits.length === 0)
    return say(`You have not told me your ${asked}, and my memory has nothing about it.`);
  return say(`From my memory:\n\n${listOf(hits)}`);
}

/** What memory holds: all of MEMORY.md where that was opened, and what was found elsewhere. */
function told(talk: Conversation, found: Outcome): string {
  const page = lastOf(talk, "memory_get");
  const kept = page?.result.status === "success" ? linesIn(page.text, "MEMORY.md") : [];
  const all = aboutIn(talk.said) === null ? ofPerson(found) : remembered(found);
  const texts = new Set(kept.map(({ text }) => text));
  const hits = [...kept, ...all.filter(({ text }) => !texts.has(text))];
  if (hits.length === 0) return "My memory holds nothing about that yet.";
  return `This is what my memory holds:\n\n${listOf(hits)}`;
}

function forget(talk: Conversation, past: string): Answer {
  const done = lastOf(talk, "memory_forget");
  if (done?.result.status === "success") return say(done.text);
  if (done) return say(`It was not forgotten.\n\n${showOutcomes([done])}`);
  if (!offers(talk, "memory_forget"))
    return say(
      "I cannot forget that: no tool for it is offered to me here. Whoever has the files can take it out of MEMORY.md and memory/.",
    );
  const found = lastOf(talk, "memory_search");
  if (!found && offers(talk, "memory_search"))
    return use({ name: "memory_search", input: { query: past } });
  const terms = termsOf(past);
  const hits = found?.result.status === "success" ? ofPerson(found) : [];
  const meant = hits.filter(({ isSaid, text }) => !isSaid && covers(text, terms));
  const texts = [...new Set(meant.map(({ text }) => text))].slice(0, 20);
  return use({ name: "memory_forget", input: { entries: texts.length > 0 ? texts : [past] } });
}

const lastOf = (talk: Conversation, tool: string): Outcome | undefined =>
  talk.outcomes.findLast((outcome) => outcome.call.name === tool);

/** Hits that tell something: not what was asked in other conversations, and not what was answered there. */
const remembered = (found: Outcome): Found[] =>
  foundIn(found.text).filter(({ isSaid, text }) => !isSaid || !isTalk(text));

/** The same without knowledge, which is about nobody. */
const ofPerson = (found: Outcome): Found[] =>
  remembered(found).filter(({ place }) => !place.startsWith("knowledge/"));

const isTalk = (text: string): boolean =>
  /\?$|^\[ASSISTANT\]|^\[USER\]:? ?(?:please )?(?:forget|what|do you)\b/i.test(text);

function covers(text: string, terms: readonly string[]): boolean {
  const there = new Set(termsOf(text));
  return terms.length > 0 && terms.every((term) => there.has(term));
}

const listOf = (hits: readonly Found[]): string =>
  hits.map(({ text, place }) => `- ${text} (${place})`).join("\n");

/** What a message wants to be remembered; `null` when it wants something else. */
export function wishIn(said: string): string | null {
  const wish = REMEMBER.exec(said.replaceAll("’", "'"))?.[1]?.trim();
  if (!wish || wish.endsWith("?") || /^when\b/i.test(wish)) return null;
  return wish.charAt(0).toUpperCase() + wish.slice(1);
}

/** What a message wants to be forgotten; `null` when it wants something else, or does not say what. */
function pastIn(said: string): string | null {
  const past = FORGET.exec(said.replaceAll("’", "'"))?.[1]?.trim();
  if (!past || /^(?:it|this|that|me|everything|all|about it)$/i.test(past)) return null;
  return past.charAt(0).toUpperCase() + past.slice(1);
}

/** What a question is about; `null` when it is about the person as a whole. */
function aboutIn(said: string): string | null {
  const about =
    /\b(?:about|of|remember)\s+(?:about\s+)?(.{2,200}?)[?.! ]*$/is.exec(said)?.[1] ?? said;
  return /^(?:me|us)$/i.test(about) || /\bto remember\b/i.test(said) ? null : about;
}
