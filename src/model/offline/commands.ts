import { listed, say, use } from "./answer.ts";
import type { Answer, Call } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { parseObject, showOutcomes } from "./outcomes.ts";

/** `/tools`, and `/tool NAME {json}`: one call for each such line, all in one step. */
export function answerCommands(talk: Conversation): Answer | null {
  if (/^\/tools\b/.test(talk.said)) return say(describeTools(talk));
  const lines = talk.said.split("\n").filter((line) => /^\s*\/tool(?:\s|$)/.test(line));
  if (lines.length === 0) return null;
  if (talk.outcomes.length > 0) return say(showOutcomes(talk.outcomes));
  const parsed = lines.map((line) => parseCommand(line, talk));
  const mistakes = parsed.filter((call) => typeof call === "string");
  if (mistakes.length > 0) return say([...mistakes, "Nothing was called."].join("\n\n"));
  return use(...parsed.filter((call) => typeof call !== "string"));
}

/** What the request offers, a line each. */
export function describeTools(talk: Conversation): string {
  if (talk.tools.length === 0) return "No tools are offered to me in this conversation.";
  const lines = talk.tools.map((tool) => `- \`${tool.name}\`: ${firstSentence(tool.description)}`);
  return `These tools are offered to me:\n\n${lines.join("\n")}\n\nCall one yourself with \`/tool NAME {"argument": "value"}\`.`;
}

/** The call, or what is wrong with the line. */
function parseCommand(line: string, talk: Conversation): Call | string {
  const [, name = "", json = ""] = /^\s*\/tool(?:\s+(\S+)\s*(.*))?$/.exec(line) ?? [];
  const names = talk.tools.map((tool) => `\`${tool.name}\``);
  const known =
    names.length > 0
      ? `There ${names.length === 1 ? "is" : "are"} ${listed(names)}.`
      : "None is offered.";
  if (name === "") return `Write \`/tool NAME {"argument": "value"}\`. ${known}`;
  if (!offers(talk, name)) return `There is no tool \`${name}\`. ${known}`;
  const input = json.trim() === "" ? {} : parseObject(json);
  return input
    ? { name, input }
    : `The arguments of \`${name}\` are not a JSON object: \`${json.slice(0, 100)}\``;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
