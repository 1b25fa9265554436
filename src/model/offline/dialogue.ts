import type { Conversation } from "./conversation.ts";

/** What one side said, as a request about a conversation has it. */
export type Utterance = { readonly role: "user" | "assistant" | "tool"; readonly text: string };

/** A conversation that a request is about, with what the request says before it. */
export type Dialogue = { readonly before: string; readonly said: readonly Utterance[] };

const SPEAKER = /^\[?(USER|ASSISTANT|TOOL|Human|AI|User|Assistant|Tool)(?:\]:|\]|:)\s?(.*)$/;
const TOOL = /^(?:Assistant calls \S+ with |Result of \S+ \(\w+\): |Attached file \S+: )/;

const ROLES: Readonly<Record<string, Utterance["role"]>> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  tool: "tool",
};

/**
 * The lines `[USER]: …` and `[ASSISTANT]: …` of the newest message, or of what it has between `<messages>` tags; where it has
 * none, the messages of the request. Lines that go on with another are indented there.
 */
export function readDialogue(talk: Conversation): Dialogue {
  const before: string[] = [];
  const said: { role: Utterance["role"]; lines: string[] }[] = [];
  const material = /<messages>\n(.*)\n<\/messages>/s.exec(talk.said)?.[1] ?? talk.said;
  for (const line of material.split("\n")) {
    const [, speaker = "", text = ""] = SPEAKER.exec(line) ?? [];
    const role = TOOL.test(line) ? "tool" : ROLES[speaker.toLowerCase()];
    if (role) said.push({ role, lines: [role === "tool" ? line : text] });
    else (said.at(-1)?.lines ?? before).push(line.replace(/^ {2}/, ""));
  }
  if (said.length === 0) return { before: "", said: talk.transcript };
  return {
    before: before.join("\n"),
    said: said.map(({ role, lines }) => ({ role, text: lines.join("\n").trim() })),
  };
}
