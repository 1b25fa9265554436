import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { launchChromium, openPage, type Watched } from "./chromium.ts";

let state: string;
let server: DevServer;
let browser: Browser;
let watched: Watched;
let page: Page;

const panel = () => page.getByRole("complementary", { name: "Files" });
const row = (name: string) => panel().getByRole("treeitem", { name });
const button = (name: string) => panel().getByRole("button", { name, exact: true });
const editor = () => panel().getByRole("textbox", { name: /^Text of / });

async function agree(name: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

describe("the files of the real Worker", () => {
  beforeAll(async () => {
    state = await mkdtemp(`${tmpdir()}/carrel-files-`);
    [server, browser] = await Promise.all([startDevServer(state), launchChromium()]);
    watched = await openPage(browser, `${server.url}/`, {
      viewport: { width: 1_900, height: 900 },
    });
    ({ page } = watched);
    await page.getByRole("button", { name: "Files" }).click();
    await row("AGENTS.md template").click();
    await editor().waitFor();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(state, { recursive: true });
  });

  it("[W3] become one's own by saving, keep what they were, and go back", async () => {
    const template = await editor().inputValue();
    await editor().fill("# Mine\n");
    await button("Save").click();
    await row("AGENTS.md yours").waitFor();
    await editor().fill("# Mine, again\n");
    await editor().press("ControlOrMeta+s");
    await panel().getByText("Saved", { exact: true }).waitFor();
    await button("History").click();
    const versions = panel().getByRole("region", { name: "History" }).getByRole("listitem");
    await expect.poll(() => versions.count()).toBe(2);
    await versions
      .last()
      .getByRole("button", { name: /^Restore/ })
      .click();
    await expect.poll(() => versions.count()).toBe(3);
    await button("History").click();
    await expect.poll(() => editor().inputValue()).toBe("# Mine\n");
    await button("Reset").click();
    await agree("Reset");
    await row("AGENTS.md template").waitFor();
    await expect.poll(() => editor().inputValue()).toBe(template);
    await button("Delete").click();
    await agree("Delete");
    await row("AGENTS.md deleted").click();
    await button("Bring it back").click();
    await row("AGENTS.md template").waitFor();
  });

  it("[W5] take bytes in, give them back, and travel as an archive", async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 1]);
    await page
      .locator("#files-upload-input")
      .setInputFiles({ name: "tool.bin", mimeType: "", buffer: bytes });
    await row("tool.bin yours").click();
    const exported = page.waitForEvent("download");
    await button("Export").click();
    const archive = await readFile(await (await exported).path());
    await button("Delete").click();
    await agree("Delete");
    await row("tool.bin").waitFor({ state: "detached" });
    await page
      .locator("#files-import-input")
      .setInputFiles({ name: "mine.zip", mimeType: "application/zip", buffer: archive });
    await agree("Import");
    await row("tool.bin yours").click();
    const coming = page.waitForEvent("download");
    await panel().locator(".plate").getByRole("button", { name: "Download" }).click();
    expect(await readFile(await (await coming).path())).toEqual(bytes);
    expect(watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });
});
