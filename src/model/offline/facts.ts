import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { plainText } from "./conversation.ts";
import { isQuestion } from "./knowledge.ts";

/** Something that the user said about themselves, as `name` and `Ada`. */
export type Fact = { readonly subject: string; readonly verb: string; readonly value: string };

/** Takes up what the user says about themselves, and tells it back from the conversation. */
export function answerFacts(talk: Conversation): Answer | null {
  const asked = subjectAsked(talk.plain);
  if (asked !== null) {
    const fact = factsIn(talk.earlier).findLast((known) => known.subject === asked);
    return say(
      fact
        ? `${back(fact)}, as you told me.`.replace(/^y/, "Y")
        : `You have not told me your ${asked} in this conversation.`,
    );
  }
  const told = isQuestion(talk.plain) ? [] : factsIn([talk.said]);
  if (told.length === 0) return null;
  return say(
    `Noted: ${told.map(back).join(", and ")}. I can tell you again as long as we are in this conversation.`,
  );
}

/** Oldest first; what was said later about the same subject comes later. */
export function factsIn(messages: readonly string[]): Fact[] {
  return messages
    .flatMap((message) => message.split(/(?<=[.!?])\s+|\n|(?:,?\s+and\s+)(?=my |i )/i))
    .filter((sentence) => !sentence.trim().endsWith("?"))
    .flatMap((sentence) => factIn(sentence.replaceAll("’", "'")) ?? []);
}

/** `Your name is Ada`. */
export const back = (fact: Fact) => `your ${fact.subject} ${fact.verb} ${fact.value}`;

function factIn(sentence: string): Fact | null {
  const text = sentence.trim().replace(/[.!]+$/, "");
  const called = /\b(?:i am called|i'm called|call me|i am named)\s+(.{1,80})$/i.exec(text)?.[1];
  if (called) return { subject: "name", verb: "is", value: called };
  const lives = /\bi (live|work) (?:in|at|for)\s+(.{1,80})$/i.exec(text);
  if (lives?.[1] && lives[2])
    return { subject: lives[1] === "live" ? "home" : "work", verb: "is", value: lives[2] };
  const [, subject, verb, value] =
    /\bmy ((?:[\w'-]+ ){0,3}?[\w'-]+) (is|are) (.{1,120})$/i.exec(text) ?? [];
  return subject && verb && value
    ? { subject: plainText(subject), verb: verb.toLowerCase(), value }
    : null;
}

/** What a question wants to hear again; `null` when it asks for something else. */
export function subjectAsked(plain: string): string | null {
  if (/\bwho am i\b|\bdo you (?:know|remember) who i am\b|\bwhat am i called\b/.test(plain))
    return "name";
  if (/\bwhere do i live\b/.test(plain)) return "home";
  if (/\bwhere do i work\b/.test(plain)) return "work";
  const direct =
    /\bwhat(?:'s| is| are|'re| was) my ((?:[\w'-]+ ){0,3}?[\w'-]+?)(?: again)?[?.! ]*$/.exec(
      plain,
    )?.[1];
  return (
    direct ??
    /\bdo you (?:know|remember) my ((?:[\w'-]+ ){0,3}?[\w'-]+)[?.! ]*$/.exec(plain)?.[1] ??
    null
  );
}
