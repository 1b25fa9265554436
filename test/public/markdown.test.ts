import { describe, expect, it } from "vitest";
import { parseInline } from "../../public/inline.js";
import { parseMarkdown } from "../../public/markdown.js";
import { blocks, inlinesOf, show } from "./markdown-tree.ts";

const inline = (text: string): string => show(parseInline(text));

describe("inline marks", () => {
  it.each([
    ["**bold** and *italic*", "strong(bold) and em(italic)"],
    ["__bold__ and _italic_", "strong(bold) and em(italic)"],
    ["***both***", "strong(em(both))"],
    ["**a *b* c**", "strong(a em(b) c)"],
    ["*a **b***", "em(a strong(b))"],
    ["~~gone~~ ~kept~", "del(gone) ~kept~"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["**中文。**后", "strong(中文。)后"],
    ["**open", "**open"],
    ["a* b **c*", "a* b **c*"],
    ["`a ** b` ``c`d`` ` `", "code(a ** b) code(c`d) code( )"],
    ["`open", "`open"],
    ["\\*no\\* \\`no\\` C:\\dir", "*no* `no` C:\\dir"],
    ["a  \nb\\\nc\nd<br>e", "a⏎b⏎c\nd⏎e"],
    ["&amp; &lt;b&gt; &#x1F4DA; &bogus;", "& <b> 📚 &bogus;"],
    ["<b>raw</b> <!-- x -->", "<b>raw</b> <!-- x -->"],
  ])("%s", (text, expected) => {
    expect(inline(text)).toBe(expected);
  });
});

describe("links", () => {
  it.each([
    ["[a](https://x.example)", "link(a → https://x.example/)"],
    ['[a **b**](https://x.example/p "title")', "link(a strong(b) → https://x.example/p)"],
    ["[w](https://x.example/a_(b)_c)", "link(w → https://x.example/a_(b)_c)"],
    ["[m](mailto:a@b.example)", "link(m → mailto:a@b.example)"],
    [
      "see https://x.example/a?b=1&c=2.",
      "see link(https://x.example/a?b=1&c=2 → https://x.example/a?b=1&c=2).",
    ],
    ["(https://x.example/a_(b))", "(link(https://x.example/a_(b) → https://x.example/a_(b)))"],
    ["**https://x.example**", "strong(link(https://x.example → https://x.example/))"],
    ["<https://x.example>", "link(https://x.example → https://x.example/)"],
    ["[https://x.example](https://x.example)", "link(https://x.example → https://x.example/)"],
    ["![cat](https://x.example/c.png)", "link(cat → https://x.example/c.png)"],
    [
      "[a [b](https://y.example) c](https://x.example)",
      "[a link(b → https://y.example/) c](link(https://x.example → https://x.example/))",
    ],
    ["[relative](/v1/me) [top](#top)", "relative top"],
    ["[x](javascript:alert(1))", "x"],
    ["xhttps://x.example", "xhttps://x.example"],
    ["[a] (b) [c]", "[a] (b) [c]"],
  ])("%s", (text, expected) => {
    expect(inline(text)).toBe(expected);
  });
});

describe("blocks", () => {
  it("reads headings, rules and paragraphs", () => {
    const read = blocks("# One #\n## C#\ntext\nmore\n\n---\nend");
    expect(read.map((block) => block.type)).toEqual([
      "heading",
      "heading",
      "paragraph",
      "rule",
      "paragraph",
    ]);
    expect(read.slice(0, 3).map((block) => show(inlinesOf(block)))).toEqual([
      "One",
      "C#",
      "text\nmore",
    ]);
  });

  it("reads fenced code, also while it is still being written", () => {
    expect(blocks("```js\nlet a;\n\n  b\n```\nafter")[0]).toEqual({
      type: "code",
      language: "js",
      text: "let a;\n\n  b",
    });
    expect(blocks("~~~~\n```\n~~~~")).toEqual([{ type: "code", language: "", text: "```" }]);
    expect(blocks("```py\nprint(")).toEqual([{ type: "code", language: "py", text: "print(" }]);
  });

  it("reads lists inside lists, tasks and code inside an item", () => {
    const [list, ...rest] = blocks(
      "1. one\n   - [x] done\n   - [ ] open\n     ```\n     code\n     ```\n2. two",
    );
    expect(rest).toEqual([]);
    expect(list).toMatchObject({
      type: "list",
      start: 1,
      isTight: true,
      items: [
        {
          blocks: [
            { type: "paragraph" },
            {
              type: "list",
              start: null,
              items: [
                { isDone: true },
                { isDone: false, blocks: [{ type: "paragraph" }, { type: "code", text: "code" }] },
              ],
            },
          ],
        },
        { blocks: [{ type: "paragraph" }] },
      ],
    });
  });

  it("nests under a number with two spaces, and goes on after a blank line", () => {
    const [list] = blocks("1. one\n  - sub\n\n2. two\nlazy");
    expect(list).toMatchObject({
      type: "list",
      isTight: false,
      items: [{ blocks: [{}, { type: "list" }] }, {}],
    });
  });

  it("starts a new list when the kind of marker changes, and not for a year in a sentence", () => {
    expect(blocks("- a\n1. b").map((block) => block.type)).toEqual(["list", "list"]);
    expect(blocks("It was\n1984. A book.").map((block) => block.type)).toEqual(["paragraph"]);
  });

  it("reads quotes with blocks inside", () => {
    expect(blocks("> a\nlazy\n>\n> - b\n\nafter")).toMatchObject([
      { type: "quote", blocks: [{ type: "paragraph" }, { type: "list" }] },
      { type: "paragraph" },
    ]);
  });

  it("reads tables with alignment, escaped bars and short rows", () => {
    const [table] = blocks(
      "Text:\n\n| a | b |\n|:--|--:|\n| 1 \\| 2 | `x` |\n| only |\n\nend",
    ).slice(1);
    expect(table).toMatchObject({ type: "table", align: ["left", "right"] });
    const rows = table?.type === "table" ? table.rows.map((row) => row.map(show)) : [];
    expect(rows).toEqual([
      ["1 | 2", "code(x)"],
      ["only", ""],
    ]);
  });

  it("gives each block the lines it was read from, so the same lines need no new reading", () => {
    const before = parseMarkdown("# T\n\nfirst\n\nsec");
    const after = parseMarkdown("# T\n\nfirst\n\nsecond");
    expect(after.map(({ source }) => source)).toEqual(["# T", "first", "second"]);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  });
});
