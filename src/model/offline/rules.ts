import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { inForm } from "./answer-in-form.ts";
import { answerBackground } from "./background.ts";
import { answerCommands } from "./commands.ts";
import type { Conversation } from "./conversation.ts";
import { answerFacts } from "./facts.ts";
import { answerList, answerRead } from "./files.ts";
import { answerFromKnowledge } from "./knowledge.ts";
import { answerLongText } from "./long-text.ts";
import { answerMemory } from "./memory.ts";
import { showOutcomes } from "./outcomes.ts";
import { answerDraft } from "./skill-drafts.ts";
import { answerBySkill, answerSkills } from "./skills.ts";
import { answerSmallTalk, fallBack } from "./small-talk.ts";
import { answerTasks } from "./tasks.ts";
import { answerTime } from "./time.ts";

/**
 * A rule answers, in words or with calls, or lets the next one try. It is asked again after its calls were
 * run, finds their outcomes in the conversation, and must then come closer to an answer in words.
 */
type Rule = (talk: Conversation) => Answer | null;

/** The first that answers wins. */
const RULES: readonly Rule[] = [
  answerTasks,
  answerCommands,
  answerSkills,
  answerDraft,
  answerMemory,
  answerFacts,
  answerLongText,
  answerTime,
  answerList,
  answerRead,
  answerSmallTalk,
  answerBySkill,
  answerFromKnowledge,
];

/** No turn takes more steps with tools than this, whatever the rules say. */
const MAX_TOOL_STEPS = 4;

const INTRODUCTION =
  "I am Carrel's built-in offline model: a set of rules, with no language model and no network behind it, so that everything works at once. To talk to a real model, put `MODEL=provider:name` and that provider's key into `.dev.vars` and start again.";

/** What to say or call next; the same for the same conversation. */
export function decide(talk: Conversation): Answer {
  const background = answerBackground(talk);
  if (background) return background;
  const found =
    RULES.reduce<Answer | null>((answer, rule) => answer ?? rule(talk), null) ?? otherwise(talk);
  if (found.calls.length > 0 && talk.steps < MAX_TOOL_STEPS) return found;
  const answer = found.calls.length > 0 ? otherwise(talk) : found;
  const introduced = talk.isFirst ? say(`${INTRODUCTION}\n\n${answer.text}`) : answer;
  return inForm(talk, answer) ?? introduced;
}

function otherwise(talk: Conversation): Answer {
  return talk.outcomes.length > 0 ? say(showOutcomes(talk.outcomes)) : fallBack(talk);
}
