import { cutAt } from "../../shared/text.ts";
import { say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { inputOf, showOutcomes } from "./outcomes.ts";
import { termsOf } from "./scoring.ts";

const PROPOSE = "propose_skill";

const ASKS_FOR_DRAFT =
  /^(?:please |can you |could you )*(?:make|create|draft|write|propose)(?: me)? (?:an? )?(?:new )?skill\b/i;

const CALLED = /^\s+(?:called|named)\s+[`"']?([\p{L}\p{N}_-]{1,80})[`"']?/iu;

/** What stands between the name and what is to be in the skill. */
const LINK =
  /^[\s:,.]*(?:(?:that|which|to|for)\b|(?:from|out of|with)(?: (?:this|these|the following))?\b)?[\s:,.]*/i;

const MAX_NAME = 64;
const MAX_SENTENCE = 300;
const MAX_BODY = 20_000;
const WORDS_IN_NAME = 3;

/** Proposes a skill from what the message says: `make a skill from this: …`, `draft a skill called x that …`. */
export function answerDraft(talk: Conversation): Answer | null {
  const opening = ASKS_FOR_DRAFT.exec(talk.said)?.[0];
  if (opening === undefined) return null;
  const rest = talk.said.slice(opening.length);
  const called = CALLED.exec(rest);
  const text = rest
    .slice(called?.[0].length ?? 0)
    .replace(LINK, "")
    .trim();
  if (text === "")
    return say(
      'Tell me what is to be in it, too: "make a skill called weekly-report from this: …", and then how it is done.',
    );
  const done = talk.outcomes.findLast((outcome) => outcome.call.name === PROPOSE);
  if (done?.result.status === "success")
    return say(`I proposed the skill \`${String(inputOf(done.call)["name"])}\`.\n\n${done.text}`);
  if (done) return say(`It was not proposed.\n\n${showOutcomes([done])}`);
  if (!offers(talk, PROPOSE))
    return say(`I cannot propose a skill: the tool \`${PROPOSE}\` is not offered to me here.`);
  return use({ name: PROPOSE, input: draftOf(text, called?.[1]) });
}

function draftOf(text: string, called: string | undefined) {
  const name = nameFrom(called ?? "") || nameFrom(wordsOf(text)) || "new-skill";
  const words = name.replaceAll("-", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  const description = `${sentenceOf(text)} Use it when you are asked for ${words}.`;
  return { name, description, body: `# ${title}\n\n${cutAt(text, MAX_BODY)}\n` };
}

/** A name as the rules of Agent Skills want it; empty when nothing of the text can be in one. */
const nameFrom = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME)
    .replace(/^-/, "")
    .replace(/-$/, "");

/** The first words that say something. */
const wordsOf = (text: string): string =>
  (cutAt(text, MAX_SENTENCE).match(/[a-z0-9]+/gi) ?? [])
    .filter((word) => termsOf(word).length > 0)
    .slice(0, WORDS_IN_NAME)
    .join(" ");

/** The first sentence, on one line, with a capital and a full stop. */
function sentenceOf(text: string): string {
  const line = cutAt(text, MAX_SENTENCE).split("\n")[0] ?? "";
  const sentence = (/^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line).replace(/[\s.:,;]+$/, "");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${/[!?]$/.test(sentence) ? "" : "."}`;
}
