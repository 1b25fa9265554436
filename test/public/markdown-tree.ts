import type { Inline } from "../../public/inline.js";
import { type Block, parseMarkdown } from "../../public/markdown.js";

export const blocks = (text: string): Block[] => parseMarkdown(text).map(({ block }) => block);

/** Every inline node of the tree. */
function inlines(nodes: readonly Inline[]): Inline[] {
  return nodes.flatMap((node) => ("children" in node ? [node, ...inlines(node.children)] : [node]));
}

/** Every inline node of a block. */
export function inlinesOf(block: Block): Inline[] {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return inlines(block.children);
    case "quote":
      return block.blocks.flatMap(inlinesOf);
    case "list":
      return block.items.flatMap((item) => item.blocks.flatMap(inlinesOf));
    case "table":
      return [...block.head, ...block.rows.flat()].flatMap(inlines);
    default:
      return [];
  }
}

/** Inline nodes in a short notation, so that a test reads like what one sees. */
export function show(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === "text") return node.text;
      if (node.type === "break") return "⏎";
      if (node.type === "code") return `code(${node.text})`;
      const to = node.type === "link" ? ` → ${node.href}` : "";
      return `${node.type}(${show(node.children)}${to})`;
    })
    .join("");
}
