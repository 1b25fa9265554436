import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { useDesk } from "./desk.ts";
import type { ServedFiles } from "./served-files.ts";

/** Wide enough for the list and a file side by side. */
export const WIDE = { viewport: { width: 1_900, height: 900 } };

/** The file panel of a desk whose workspace has a file of each layer. */
export type FilesDesk = {
  readonly page: Page;
  readonly workspace: ServedFiles;
  readonly panel: Locator;
  readonly editor: Locator;
  /** Opens the page and its panel. */
  open(options?: BrowserContextOptions): Promise<void>;
  row(name: string | RegExp): Locator;
  button(name: string): Locator;
  /** Opens the file of a row, and its folder before. */
  pick(path: string): Promise<void>;
  dialog(name: string): Locator;
};

/** Registers a desk as `useDesk` does, and gives its file panel. */
export function useFilesDesk(): () => FilesDesk & { readonly desk: ReturnType<typeof useDesk> } {
  const desk = useDesk();
  return () => {
    const { server } = desk();
    const { workspace } = server;
    const page = () => desk().page;
    const panel = () => page().getByRole("complementary", { name: "Files" });
    const row = (name: string | RegExp) => panel().getByRole("treeitem", { name });
    return {
      desk,
      workspace,
      get page() {
        return page();
      },
      get panel() {
        return panel();
      },
      get editor() {
        return panel().getByRole("textbox", { name: /^Text of / });
      },
      row,
      button: (name) => panel().getByRole("button", { name, exact: true }),
      dialog: (name) => page().getByRole("dialog", { name }),
      async open(options) {
        await fill(workspace);
        await desk().open(options);
        const isNarrow = (options?.viewport?.width ?? 1280) < 864;
        const opener = isNarrow ? "#top-files" : "#open-files";
        await page().locator(opener).click();
        await row("AGENTS.md").waitFor();
      },
      async pick(path) {
        const names = path.split("/");
        for (const folder of names.slice(0, -1)) {
          const node = row(new RegExp(`^${folder}$`));
          if ((await node.getAttribute("aria-expanded")) === "false") await node.click();
        }
        await row(names.at(-1) ?? "").click();
      },
    };
  };
}

async function fill(workspace: ServedFiles): Promise<void> {
  await workspace.putAll("template", {
    "AGENTS.md": "# Agent\n\nBe *kind*.\n",
    "knowledge/turns.md": "# Turns\n",
    "knowledge/models.md": "# Models\n",
  });
  await workspace.put("shared", "notes/house.md", "House rules\n", "user:admin");
  await workspace.put("own", "notes/mine.txt", "mine\n");
}
