import { say } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";

const MAX = 10_000;

/** Counts, or writes a given number of words: long answers for trying out streaming, stop and reload. */
export function answerLongText(talk: Conversation): Answer | null {
  const count = /\bcount (?:from ([\d,]{1,9}) )?(?:up )?to ([\d,]{1,12})\b/.exec(talk.plain);
  if (count) return say(countTo(numberIn(count[1] ?? "1"), numberIn(count[2] ?? "")));
  const words =
    /\b(?:write|give me|tell me|say|generate|produce)\b[^?]*?\b(\d[\d,]{0,11})[ -]words?\b/.exec(
      talk.plain,
    );
  return words ? say(writeWords(numberIn(words[1] ?? ""))) : null;
}

const numberIn = (text: string) => Number(text.replaceAll(",", ""));

function countTo(from: number, to: number): string {
  const last = Math.min(to, from + MAX - 1);
  const lines: string[] = [];
  for (let start = from; start <= last; start += 10) {
    const length = Math.min(10, last - start + 1);
    lines.push(Array.from({ length }, (_, at) => start + at).join(", "));
  }
  if (lines.length === 0) return `${to} comes before ${from}, so there is nothing to count.`;
  const end =
    last < to
      ? `\n\nI stop here: ${MAX.toLocaleString("en-US")} numbers are as many as I count at once.`
      : "";
  return `${lines.join(",\n")}.${end}`;
}

const PASSAGE = `A carrel is a small desk in a quiet corner of a library. Readers keep their books on it for as long as
they need them. The shelves belong to everyone, but the notes on the desk belong to one person. Nobody tidies them away
at night. In the morning the lamp is still there, and so is the page that was open. A reader who was called away comes
back and goes on with the next line. The librarian knows which books are out and where they lie. When two readers want
the same book, each of them gets a copy to write in. What is learnt at a desk is written on a card, and the cards are kept
in order. Some cards are joined, some are mended, and a few are thrown away with a reason. A good library is quiet, and it
forgets nothing that it promised to keep.`;

/** Exactly `wanted` words, up to 10,000, in paragraphs. */
function writeWords(wanted: number): string {
  const total = Math.min(wanted, MAX);
  const words = PASSAGE.split(/\s+/);
  const paragraphs: string[] = [];
  for (let written = 0; written < total; written += words.length) {
    paragraphs.push(words.slice(0, total - written).join(" "));
  }
  const text = paragraphs.join("\n\n");
  return text === "" ? "There: no words at all." : text.replace(/[,.]?$/, ".");
}
