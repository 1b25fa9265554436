import { describe, expect, it } from "vitest";
import { paragraphsOf } from "../../../src/model/offline/paragraphs.ts";

const markdown = `---
name: x
---
# Title

First one.
Still the first.

## Part

Before a list:

- one
- two

\`\`\`js
code

# not a heading
\`\`\`

### Deep

Below deep.

# Other

Last.
`;

describe("paragraphsOf", () => {
  const paragraphs = paragraphsOf(markdown, "knowledge/notes.md");

  it("separates paragraphs, keeps lists with their introduction and code whole", () => {
    expect(paragraphs.map((paragraph) => paragraph.text)).toEqual([
      "First one.\nStill the first.",
      "Before a list:\n\n- one\n- two",
      "```js\ncode\n\n# not a heading\n```",
      "Below deep.",
      "Last.",
    ]);
  });

  it("knows the headings above, the file, and what comes first under a heading", () => {
    expect(paragraphs.map((paragraph) => paragraph.hints)).toEqual([
      "notes Title",
      "notes Title Part",
      "notes Title Part",
      "notes Title Part Deep",
      "notes Other",
    ]);
    expect(paragraphs.map((paragraph) => paragraph.isLead)).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  it("takes whatever it is given", () => {
    expect(paragraphsOf("", "a")).toEqual([]);
    expect(paragraphsOf("\n\n# only\n", "a")).toEqual([]);
    expect(paragraphsOf("```\nnever closed\n\nx", "a").map((paragraph) => paragraph.text)).toEqual([
      "```\nnever closed\n\nx",
    ]);
  });
});
