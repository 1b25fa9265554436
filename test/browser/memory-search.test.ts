import { describe, expect, it } from "vitest";
import { xssCorpus } from "../public/xss-corpus.ts";
import type { SearchHit } from "../../src/shared/workspace-api.ts";
import { entry, remembered, run, source, useMemoryDesk } from "./memory-desk.ts";
import { nothing } from "./served-memory.ts";

const memory = useMemoryDesk();

const hit = (more: Partial<SearchHit>): SearchHit => ({
  path: "MEMORY.md",
  line: 3,
  endLine: 3,
  source: "memory",
  snippet: "Prefers tea.",
  score: 1,
  at: null,
  ...more,
});

describe("the search of the memory", () => {
  it("[M8] finds what is remembered, noted and was said, and says when not all was searched", async () => {
    const { server } = memory().desk;
    server.session("tea-talk").title = "About tea";
    memory().memory.overview = remembered("tea-talk");
    const said = { role: "user", session: "tea-talk", turn: "t" };
    memory().memory.found = {
      hits: [
        hit({}),
        hit({
          path: "memory/2031-05-05.md",
          source: "ledger",
          snippet: "Green tea.",
          at: Date.UTC(2020, 4, 5),
        }),
        hit({ path: "knowledge/tea.md", source: "knowledge", snippet: "Tea grows.", line: 7 }),
        hit({
          path: "agents/main/sessions/tea-talk.log.jsonl",
          source: "session",
          snippet: "I like tea",
          said,
        }),
      ],
      isComplete: false,
      pending: 1,
    };
    await memory().open();
    await memory().item("Prefers tea").waitFor();
    await memory().search.pressSequentially("tea");
    const found = memory().panel.getByRole("region", { name: "Found" });
    await found
      .getByText("4 matches. Not all is searched yet, 1 file is still to be read.")
      .waitFor();
    expect(await found.getByRole("listitem").allInnerTexts()).toEqual([
      "Prefers tea.\n\nMemory",
      "Green tea.\n\nNote, 5 May 2020",
      "Tea grows.\n\nknowledge/tea.md, line 7",
      "I like tea\n\nYou said in “About tea”",
    ]);
    expect(memory().memory.queries).toEqual(["tea"]);
    memory().memory.found = { hits: [], isComplete: true, pending: 0 };
    await found.getByRole("button", { name: "Search again" }).click();
    await found.getByText("Nothing found for “tea”.").waitFor();
    memory().memory.refusals.push({
      of: "search",
      status: 503,
      code: "busy",
      message: "Busy now.",
    });
    await memory().search.fill("coffee");
    await found.getByText("Busy now.").waitFor();
    await memory().search.press("Escape");
    await memory().item("Takes the train").waitFor();
    expect(await found.isVisible()).toBe(false);
  });

  it("shows hostile entries, reasons, places and finds as what they are, and they do nothing", async () => {
    const all = xssCorpus.join("\n\n");
    memory().memory.overview = {
      ...nothing,
      entries: xssCorpus.map((text, index) =>
        entry(text, text, {
          section: xssCorpus[(index + 1) % xssCorpus.length] ?? "",
          sources: [source({ session: `main/${text}`, path: text, at: 1 }), source({ path: text })],
          run: index % 2 ? text : null,
        }),
      ),
      ledgers: xssCorpus.map((path) => ({ path, entries: 1 })),
      runs: xssCorpus.map((text) => run({ run: text, why: text, path: text, state: "refused" })),
    };
    memory().memory.found = {
      hits: xssCorpus.map((text) =>
        hit({
          path: text,
          snippet: all,
          source: "session",
          said: { role: text, session: text, turn: text },
        }),
      ),
      isComplete: true,
      pending: 0,
    };
    await memory().open();
    await memory().panel.getByText("Last tidy-ups").waitFor();
    memory().memory.refusals.push({ of: "undo", status: 409, code: "conflict", message: all });
    await memory()
      .button(/^Undo: /)
      .first()
      .click();
    await memory().panel.getByRole("alert").getByText("<script>").first().waitFor();
    await memory().search.fill("<img src=x onerror=alert(1)>");
    await expect
      .poll(() => memory().page.locator("#memory-hits > li").count())
      .toBe(xssCorpus.length);
    const found = await memory().panel.evaluate((root) => {
      const nodes = [...root.querySelectorAll("*")];
      return {
        strangers: nodes
          .map((node) => node.localName)
          .filter((name) =>
            /^(script|iframe|object|style|img|form|base|link|meta|x-y)$/.test(name),
          ),
        handlers: nodes
          .flatMap((node) => node.getAttributeNames())
          .filter((name) => name.startsWith("on") || name === "style"),
        protocols: [
          ...new Set(
            nodes.flatMap((node) => (node instanceof HTMLAnchorElement ? [node.protocol] : [])),
          ),
        ].filter((protocol) => !["http:", "https:", "mailto:"].includes(protocol)),
      };
    });
    expect(found).toEqual({ strangers: [], handlers: [], protocols: [] });
    await memory().page.locator("#memory-hits .link").first().click();
    await memory()
      .page.getByText(/^“.*” is not there any more\.$/)
      .waitFor();
    const errors = memory().desk.watched.errors.filter((text) => !text.includes("status of 409"));
    expect({ ...memory().desk.watched, errors }).toMatchObject({
      foreign: [],
      dialogs: [],
      errors: [],
    });
  });
});
