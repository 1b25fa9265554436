import { say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { pathOf, unnumbered } from "./outcomes.ts";
import { paragraphsOf } from "./paragraphs.ts";
import type { Paragraph } from "./paragraphs.ts";
import { isUnspaced, rank, termsOf } from "./scoring.ts";
import { readWorkspaceContext } from "./workspace-context.ts";
import type { WorkspaceContext } from "./workspace-context.ts";

/** How many knowledge files one question may open, and how many of them in one step. */
const MAX_FILES = 4;
const MAX_AT_ONCE = 3;

/** A paragraph that covers less of the question is no answer to it; pairs of characters overlap less than words. */
const MIN_COVERAGE = 0.5;
const MIN_COVERAGE_OF_PAIRS = 0.3;

/** A second paragraph is quoted when it is nearly as good as the first. */
const NEARLY_AS_GOOD = 0.85;

/** What a paragraph is worth beside the others: the first under a heading, one that begins with what was asked, one that says what that is. */
const LEAD_BONUS = 0.15;
const OPENING_BONUS = 0.4;
const DEFINITION_BONUS = 0.6;

/** Characters at the beginning of a paragraph that say what it is about. */
const OPENING = 60;

/**
 * Answers a question from the knowledge files: opens the ones that look best, then quotes the paragraphs that
 * answer it, with their file. `null` when nothing was asked, or there is no knowledge.
 */
export function answerFromKnowledge(talk: Conversation): Answer | null {
  const context = readWorkspaceContext(talk.system);
  if (termsOf(talk.said).length === 0 || (context.index === "" && context.files.length === 0))
    return null;
  const read = talk.outcomes.filter((outcome) => outcome.call.name === "read_file");
  const candidates = rankFiles(talk.said, context);
  if (!isQuestion(talk.plain) && read.length === 0 && candidates.every((file) => file.score === 0))
    return null;

  const found = bestParagraphs(talk.said, context, read);
  if (found.isSure) return quote(found.paragraphs);
  const isHopeful = found.paragraphs.length === 0;
  const unread = candidates
    .filter((file) => isHopeful || file.score > 0)
    .filter((file) => !read.some((outcome) => pathOf(outcome) === file.path));
  const left = MAX_FILES - read.length;
  if (left > 0 && unread.length > 0 && offers(talk, "read_file")) {
    return use(...nextFiles(unread, left).map((path) => ({ name: "read_file", input: { path } })));
  }
  if (found.paragraphs.length > 0) return quote(found.paragraphs);
  return say(notFound(read, context, offers(talk, "read_file")));
}

/** Whether a message asks for something, by its mark or by how it begins. */
export function isQuestion(plain: string): boolean {
  return (
    plain.includes("?") ||
    plain.includes("？") ||
    /^(?:so |and |but |please |ok,? |hey,? )*(?:who|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may|tell me|explain|describe|summari[sz]e)\b/.test(
      plain,
    )
  );
}

type Candidate = { readonly path: string; readonly score: number };

/** Every knowledge file, the likeliest first, by its name and by what the index says about it. */
function rankFiles(question: string, context: WorkspaceContext): Candidate[] {
  const passages = context.files.map((path) => ({
    path,
    text: indexEntry(context.index, path),
    hints: path.replace("knowledge/", ""),
  }));
  const ranked = rank(question, passages);
  const scored = ranked.map(({ item, score }) => ({ path: item.path, score }));
  const rest = context.files.filter((path) => !scored.some((file) => file.path === path));
  return [...scored, ...rest.map((path) => ({ path, score: 0 }))];
}

/** The blocks of the index that name the file. */
function indexEntry(index: string, path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return index
    .split(/\n(?=\s*[-*]\s)|\n\s*\n/)
    .filter((block) => block.includes(name))
    .join("\n");
}

/** The clear favourite alone, else several together. */
function nextFiles(candidates: readonly Candidate[], left: number): string[] {
  const [first, second] = candidates;
  const isClear = first !== undefined && first.score > 0 && (second?.score ?? 0) < first.score / 2;
  return candidates.slice(0, isClear ? 1 : Math.min(left, MAX_AT_ONCE)).map((file) => file.path);
}

type Found = { readonly paragraphs: readonly Paragraph[]; readonly isSure: boolean };

/** Sure: the best paragraph covers most of the question and comes from a file that was opened. */
function bestParagraphs(
  question: string,
  context: WorkspaceContext,
  read: readonly Outcome[],
): Found {
  const opened = read
    .filter((outcome) => outcome.result.status === "success")
    .flatMap((outcome) => paragraphsOf(unnumbered(outcome.text), pathOf(outcome)));
  const indexed = paragraphsOf(context.index, "knowledge/KNOWLEDGE.md");
  const least = isUnspaced(question) ? MIN_COVERAGE_OF_PAIRS : MIN_COVERAGE;
  const ranked = rank(question, opened.length > 0 ? opened : indexed)
    .filter((entry) => entry.coverage >= least)
    .map((entry) => ({ ...entry, score: entry.score * prominence(question, entry.item) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (!best) return { paragraphs: [], isSure: false };
  const both =
    second && second.score >= best.score * NEARLY_AS_GOOD && second.coverage >= best.coverage
      ? [best.item, second.item]
      : [best.item];
  return { paragraphs: both, isSure: opened.length > 0 && best.coverage >= 0.7 };
}

/** 1 for a paragraph like any other, more for one that is where an answer would be. */
function prominence(question: string, paragraph: Paragraph): number {
  const asked = [...new Set(termsOf(question))];
  const opening = termsOf(paragraph.text.slice(0, OPENING));
  const share = asked.filter((term) => opening.includes(term)).length / asked.length;
  const defined = termsOf(
    /^(?:an? |the )?(\S+(?: \S+){0,3}?) (?:is|are) /i.exec(paragraph.text)?.[1] ?? "",
  );
  const isDefinition =
    defined.length === asked.length && defined.every((term) => asked.includes(term));
  return (
    1 +
    share * OPENING_BONUS +
    (paragraph.isLead ? LEAD_BONUS : 0) +
    (isDefinition ? DEFINITION_BONUS : 0)
  );
}

function quote(paragraphs: readonly Paragraph[]): Answer {
  const quotes = paragraphs.map(({ text, source }) => {
    const quoted = text
      .split("\n")
      .map((line) => `> ${line}`.trimEnd())
      .join("\n");
    return `${quoted}\n\nSource: ${source}`;
  });
  return say(quotes.join("\n\n"));
}

function notFound(read: readonly Outcome[], context: WorkspaceContext, canRead: boolean): string {
  if (!canRead) {
    return "I found nothing about that in what I can see, and no tool to open the knowledge files is offered to me.";
  }
  const failed = read.filter((outcome) => outcome.result.status !== "success");
  const looked = read.map((outcome) => `\`${pathOf(outcome)}\``);
  const where = looked.length > 0 ? ` I looked in ${looked.join(", ")}.` : "";
  const trouble = failed[0] ? ` Opening one failed: ${failed[0].text.slice(0, 200)}` : "";
  const more =
    context.files.length > MAX_FILES
      ? " There may be something in the others; you can ask me to read one."
      : "";
  return `I found nothing about that in the knowledge files, and I will not make something up.${where}${trouble}${more}`;
}
