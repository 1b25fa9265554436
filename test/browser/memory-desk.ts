import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { MemoryOverview, RunSummary, Source } from "../../src/shared/memory-api.ts";
import { type Desk, useDesk } from "./desk.ts";
import { nothing, type ServedMemory } from "./served-memory.ts";

type Entry = MemoryOverview["entries"][number];

const HOUR = 3_600_000;

/** An entry of a heading, written by hand unless `more` says otherwise. */
export const entry = (id: string, text: string, more: Partial<Entry> = {}): Entry => ({
  id,
  text,
  section: "",
  line: 1,
  sources: [],
  run: null,
  ...more,
});

export const source = (more: Partial<Source>): Source => ({
  path: "memory/2031-05-05.md",
  line: 4,
  session: null,
  turn: null,
  at: null,
  ...more,
});

export const run = (more: Partial<RunSummary> = {}): RunSummary => ({
  run: "r1",
  state: "applied",
  why: null,
  kept: 2,
  changed: 0,
  added: 1,
  dropped: 0,
  refused: 0,
  at: Date.now() - 2 * HOUR,
  path: "memory/.consolidation/r1.md",
  undone: false,
  ...more,
});

/** Something of every kind: a saved entry, a tidied one, one of a person's; a run, notes, and something forgotten. */
export const remembered = (session: string): MemoryOverview => ({
  ...nothing,
  entries: [
    entry("tea", "Prefers tea to coffee.", {
      section: "Preferences",
      line: 3,
      sources: [source({ session: `main/${session}`, turn: "t1", at: Date.now() })],
    }),
    entry("train", "Takes the **train** to work.", {
      section: "Preferences",
      line: 4,
      sources: [
        source({ session: "main/long-gone", at: Date.now() - 26 * HOUR }),
        source({ path: "memory/2031-05-04.md", line: 9 }),
        source({ path: "memory/2031-05-03.md", line: null }),
      ],
      run: "r1",
    }),
    entry("house", "Be brief.", { section: "House rules", line: 7 }),
  ],
  notes: [],
  tokens: 1_240,
  pending: 3,
  ledgers: [
    { path: "memory/2031-05-04.md", entries: 2 },
    { path: "memory/2031-05-05.md", entries: 5 },
  ],
  runs: [run()],
  forgotten: 2,
});

/** The memory panel of a desk, as a person uses it. */
export type MemoryDesk = {
  readonly desk: Desk;
  readonly page: Page;
  readonly memory: ServedMemory;
  readonly panel: Locator;
  readonly search: Locator;
  /** Opens the page and its panel. */
  open(options?: BrowserContextOptions): Promise<void>;
  /** An entry by its text. */
  item(text: string): Locator;
  button(name: string | RegExp): Locator;
  dialog(name: string | RegExp): Locator;
  /** What has the focus, by its name or text. */
  focused(): Promise<string>;
};

/** Registers a desk as `useDesk` does, and gives its memory panel. */
export function useMemoryDesk(): () => MemoryDesk {
  const desk = useDesk();
  return () => {
    const { server } = desk();
    const page = () => desk().page;
    const panel = () => page().getByRole("complementary", { name: "Memory" });
    return {
      desk: desk(),
      memory: server.memory,
      get page() {
        return page();
      },
      get panel() {
        return panel();
      },
      get search() {
        return panel().getByRole("searchbox");
      },
      item: (text) => panel().getByRole("listitem").filter({ hasText: text }).first(),
      button: (name) => panel().getByRole("button", { name, exact: true }),
      dialog: (name) => page().getByRole("dialog", { name }),
      async open(options) {
        await desk().open(options);
        const isNarrow = (options?.viewport?.width ?? 1280) < 864;
        await page()
          .locator(isNarrow ? "#top-memory" : "#open-memory")
          .click();
      },
      focused: () =>
        page().evaluate(() => {
          const node = document.activeElement;
          return (node?.getAttribute("aria-label") ?? node?.textContent ?? "").trim();
        }),
    };
  };
}
