import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { describeTools } from "./commands.ts";
import { offers } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { paragraphsOf } from "./paragraphs.ts";
import { readWorkspaceContext } from "./workspace-context.ts";

/** Greetings, thanks, and questions about the agent itself. */
export function answerSmallTalk(talk: Conversation): Answer | null {
  const { plain } = talk;
  if (
    (plain === "" && talk.images === 0) ||
    /^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|hallo|moin|hola|bonjour|ciao)\b[^?]{0,30}$/.test(
      plain,
    )
  ) {
    return say(`Hello! ${nameSentence(talk)}\n\n${suggestions(talk)}`);
  }
  if (
    /\bwho are you\b|\bwhat are you\b|\bwhat(?:'s| is) your name\b|\bintroduce yourself\b/.test(
      plain,
    )
  ) {
    return say(`${introduction(talk)}\n\n${suggestions(talk)}`);
  }
  if (/\bwhat can (?:you|i) (?:do|ask)\b|^help\b[^?]{0,20}$|\bhow can you help\b/.test(plain)) {
    return say(`${describeTools(talk)}\n\n${suggestions(talk)}`);
  }
  if (/\b(?:what|which) tools\b/.test(plain)) return say(describeTools(talk));
  if (
    /^(?:ok(?:ay)?,? |great,? |many )*(?:thanks|thank you|thx|cheers|danke|merci)\b/.test(plain)
  ) {
    return say("You are welcome. Ask on whenever you like.");
  }
  if (/^how are you\b|^how's it going\b/.test(plain))
    return say(`All quiet at the desk, thank you.\n\n${suggestions(talk)}`);
  if (/^(?:bye|goodbye|see you|good night)\b/.test(plain)) {
    return say("Goodbye. This conversation stays where it is; come back to it at any time.");
  }
  return null;
}

/** What to say when no rule fits. */
export function fallBack(talk: Conversation): Answer {
  const seen =
    talk.images > 0 ? "I can tell that you sent an image, but rules cannot look at one." : "";
  const heard = talk.said === "" ? "" : "I have no rule for that, and being rules is all I am.";
  return say(
    [[seen, heard].filter(Boolean).join(" "), suggestions(talk)].filter(Boolean).join("\n\n"),
  );
}

/** Three things that work here, from what the request offers. */
export function suggestions(talk: Conversation): string {
  const context = readWorkspaceContext(talk.system);
  const questions = [...context.index.matchAll(/"([^"\n]{8,100}\?)"/g)].map(
    (match) => match[1] ?? "",
  );
  const tries = [
    ...questions.slice(0, 1),
    ...(offers(talk, "current_time") ? ["What time is it in Tokyo?"] : []),
    ...(offers(talk, "list_files") ? ["List files"] : []),
    ...context.files.slice(0, 1).map((path) => `Read ${path}`),
    "Count to 500",
    "Write 300 words",
    "/tools",
  ];
  return `You could try:\n\n${tries
    .slice(0, 3)
    .map((text) => `- ${text}`)
    .join("\n")}`;
}

/** The persona's opening in the first person, else a plain one. */
function introduction(talk: Conversation): string {
  const opening = paragraphsOf(
    readWorkspaceContext(talk.system).agents,
    "AGENTS.md",
  )[0]?.text.replaceAll("\n", " ");
  if (!opening) return nameSentence(talk);
  return opening
    .replace(/\bYou are\b/g, "I am")
    .replace(/\bYou have\b/g, "I have")
    .replace(/\bYou\b/g, "I")
    .replace(/\byou are\b/g, "I am")
    .replace(/\byour\b/g, "my")
    .replace(/\bYour\b/g, "My")
    .replace(/\byou\b/g, "I");
}

function nameSentence(talk: Conversation): string {
  const agents = readWorkspaceContext(talk.system).agents;
  const name = /\byou are ([A-Z][\p{L}\p{N}'-]*)/iu.exec(agents)?.[1];
  const isName = name !== undefined && /^[A-Z]/.test(name);
  return isName ? `I am ${name}.` : "I am the agent of this workspace.";
}
