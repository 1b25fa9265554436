import { fenced, say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { nextOffset, pathOf, showOutcomes, unnumbered } from "./outcomes.ts";
import { readWorkspaceContext } from "./workspace-context.ts";

const MAX_READS = 3;

const ASKS_FOR_LIST: readonly RegExp[] = [
  /^(?:please |can you |could you )*(?:list|show)(?: me)?(?: all)?(?: of)?(?: the| your| my)?(?: [\w./-]+)? (?:files|folders|directories|directory|folder|workspace)\b/,
  /^(?:please |can you |could you )*(?:list|show)(?: me)? (?:the )?workspace\b/,
  /\b(?:what|which) files (?:are (?:there|in|under|available)|do you have|can you (?:see|read)|exist|have you)/,
  /\bwhat(?:'s| is) in (?:the |your )?(?:workspace|root|[\w.-]+ (?:folder|directory)|[\w./-]+\/)[?.!]*$/,
  /^ls\b/,
];

/** Lists a directory of the workspace. */
export function answerList(talk: Conversation): Answer | null {
  if (!ASKS_FOR_LIST.some((pattern) => pattern.test(talk.plain))) return null;
  const listing = talk.outcomes.findLast((outcome) => outcome.call.name === "list_files");
  if (listing) return say(showListing(listing));
  if (!offers(talk, "list_files"))
    return say("I cannot list files: the tool `list_files` is not offered to me here.");
  return use({ name: "list_files", input: { path: directoryIn(talk.said) } });
}

function directoryIn(said: string): string {
  const named =
    /\b(?:in|of|under|inside|from)\s+(?:the\s+|your\s+)?[`"']?([\w./-]+)/i.exec(said)?.[1] ??
    /^ls\s+[`"']?([\w./-]+)/i.exec(said)?.[1] ??
    /\s[`"']?([\w./-]+)[`"']?\s+(?:files|folder|directory)\b/i.exec(said)?.[1] ??
    ".";
  const isPlace = !/^(?:the|all|me|my|your|there|workspace|root|of|what|which|this|here)$/i.test(
    named,
  );
  return isPlace ? named.replace(/(?<=\w)[./]+$/, "") : ".";
}

function showListing(outcome: Outcome): string {
  const path = pathOf(outcome);
  if (outcome.result.status !== "success") return showOutcomes([outcome]);
  const lines = outcome.text.split("\n").map((line) => {
    const directory = /^\[DIR\]\s+(.*)$/.exec(line)?.[1];
    if (directory) return `- \`${directory}\``;
    const [, file, size] = /^\[FILE\] (.*) \((\d+) bytes\)$/.exec(line) ?? [];
    return file ? `- \`${file}\`, ${Number(size).toLocaleString("en-US")} bytes` : line;
  });
  const title = path === "." || path === "" ? "The workspace holds:" : `\`${path}\` holds:`;
  return `${title}\n\n${lines.join("\n")}`;
}

/** Shows files that were named, up to three. */
export function answerRead(talk: Conversation): Answer | null {
  const asked =
    /^(?:please |can you |could you )*(?:read|show|open|cat|print|display|view)\b(.*)$/is.exec(
      talk.said,
    )?.[1];
  const paths = asked === undefined ? [] : pathsIn(asked, talk);
  if (paths.length === 0) return null;
  const reads = talk.outcomes.filter((outcome) => outcome.call.name === "read_file");
  if (reads.length > 0) return say(reads.map(showPage).join("\n\n"));
  if (!offers(talk, "read_file"))
    return say("I cannot open files: the tool `read_file` is not offered to me here.");
  const line = Number(/\bfrom line (\d{1,9})\b/i.exec(talk.said)?.[1] ?? 1);
  const from = line > 1 ? { offset: line - 1 } : {};
  return use(...paths.map((path) => ({ name: "read_file", input: { path, ...from } })));
}

/** Words that look like paths, or that name a file of the workspace without its ending. */
function pathsIn(text: string, talk: Conversation): string[] {
  const known = ["AGENTS.md", "knowledge/KNOWLEDGE.md", ...readWorkspaceContext(talk.system).files];
  const words = text.split(/[\s`"',;()?!]+/).map((word) => word.replace(/^@|[.:]+$/g, ""));
  const paths = words.flatMap((word) => {
    const match = known.find((path) => names(path).includes(word.toLowerCase()));
    if (match && (/[./]/.test(word) || words.length < 5)) return match;
    return /^[\w./@~-]*(?:\.[A-Za-z]\w{0,9}|\/[\w.-]+)$/.test(word) ? word : [];
  });
  return [...new Set(paths)].slice(0, MAX_READS);
}

/** How people spell a path: whole, by its last name, by that without its ending. */
function names(path: string): string[] {
  const whole = path.toLowerCase();
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  return [whole, name, name.replace(/\.\w+$/, "")];
}

function showPage(outcome: Outcome): string {
  if (outcome.result.status !== "success") return showOutcomes([outcome]);
  const path = pathOf(outcome);
  if (!/^\s*\d+\|/.test(outcome.text)) return outcome.text;
  const ending = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const next = nextOffset(outcome.text);
  const more =
    next === null
      ? ""
      : `\n\nThat is not all of it: say \`read ${path} from line ${next + 1}\` for the next page.`;
  return `**${path}**\n\n${fenced(unnumbered(outcome.text), ending)}${more}`;
}
