import { mkdtemp, rm } from "node:fs/promises";
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

const panel = () => page.getByRole("complementary", { name: "Memory" });
const item = (text: string) => panel().getByRole("listitem").filter({ hasText: text }).first();
const button = (name: RegExp) => panel().getByRole("button", { name });

async function tell(text: string): Promise<void> {
  const answers = page.getByRole("button", { name: "Copy", exact: true });
  const before = await answers.count();
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
  await expect.poll(() => answers.count()).toBeGreaterThan(before);
}

describe("the memory of the real Worker", () => {
  beforeAll(async () => {
    state = await mkdtemp(`${tmpdir()}/carrel-memory-`);
    [server, browser] = await Promise.all([startDevServer(state), launchChromium()]);
    watched = await openPage(browser, `${server.url}/`);
    ({ page } = watched);
    await page.getByRole("button", { name: "Memory" }).click();
    await panel().getByText("Nothing is remembered yet.").waitFor();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(state, { recursive: true });
  });

  it("[M7] shows what was saved with the conversation that it is from, and takes it back", async () => {
    await tell("remember that I like green tea");
    await item("green tea").getByText("Saved in this conversation").waitFor();
    await button(/^Undo: .*green tea/).click();
    await panel().getByText("Taken back: 1 change.").waitFor();
    await button(/^Undo: .*green tea/).waitFor({ state: "detached" });
  });

  it("[M7] finds what was saved, and forgets it when the person means it", async () => {
    await tell("remember that my cat is called Turing");
    await item("Turing").waitFor();
    const search = panel().getByRole("searchbox");
    await search.fill("Turing cat");
    const found = panel().getByRole("region", { name: "Found" });
    await found
      .getByRole("button", { name: /^(Memory|Note)$/ })
      .first()
      .waitFor();
    await search.fill("");
    await button(/^Forget: .*Turing/)
      .first()
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await panel()
      .getByText(/^Forgotten: it is gone from 2 files\./)
      .waitFor();
    await button(/^Forget: .*Turing/).waitFor({ state: "detached" });
    await search.fill("Turing cat");
    await found.getByText(/^\d+ match|^Nothing found/).waitFor();
    expect(await found.getByRole("button", { name: /^(Memory|Note)$/ }).count()).toBe(0);
    expect(watched).toMatchObject({ foreign: [], dialogs: [] });
  });
});
