import type { Passage } from "./scoring.ts";

/** A paragraph of a Markdown file under the headings that lead to it. */
export type Paragraph = Passage & {
  readonly source: string;
  /** The first one under its heading, where a text says what matters most. */
  readonly isLead: boolean;
};

/**
 * The paragraphs of a Markdown text: what blank lines separate, with code blocks kept whole and a list joined
 * to the line that introduces it. Headings are no paragraphs, they are hints for those below them.
 */
export function paragraphsOf(markdown: string, source: string): Paragraph[] {
  const name = source.slice(source.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  const headings: string[] = [];
  const paragraphs: Paragraph[] = [];
  let isLead = true;
  for (const block of blocksOf(markdown)) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(block);
    if (heading?.[1]) {
      headings.splice(heading[1].length - 1, Infinity, heading[2] ?? "");
      isLead = true;
      continue;
    }
    const previous = paragraphs.at(-1);
    if (previous && previous.text.endsWith(":") && isList(block)) {
      paragraphs[paragraphs.length - 1] = { ...previous, text: `${previous.text}\n\n${block}` };
      continue;
    }
    paragraphs.push({ text: block, hints: [name, ...headings].join(" "), source, isLead });
    isLead = false;
  }
  return paragraphs;
}

/** Without the front matter, which is for machines. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence = "";
  const close = () => {
    if (lines.length > 0) blocks.push(lines.join("\n"));
    lines = [];
  };
  for (const line of markdown.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "").split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== "") {
      lines.push(line);
      if (mark?.startsWith(fence)) fence = "";
    } else if (mark) {
      fence = mark;
      lines.push(line);
    } else if (/^#{1,6}\s/.test(line)) {
      close();
      blocks.push(line.trim());
    } else if (line.trim() === "") {
      close();
    } else {
      lines.push(line);
    }
  }
  close();
  return blocks;
}

const isList = (block: string) => /^\s*(?:[-*+]|\d+[.)])\s|^\||^`{3}/.test(block);
