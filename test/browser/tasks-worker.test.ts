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

const bar = () => page.getByRole("region", { name: "In the background" });
const question = () => bar().getByRole("group", { name: "May write_file run?" });

async function send(text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

const spawn = (path: string) => {
  const task = `/tool write_file ${JSON.stringify({ path, content: "<b>written</b>" })}`;
  const input = { agent_id: "general-purpose", task, timeout_seconds: 0 };
  return `/tool agent_spawn ${JSON.stringify(input)}`;
};

/** Has every write asked about in the open conversation. */
async function askForWrites(): Promise<void> {
  const session = new URL(page.url()).hash.split("/").at(-1)?.replace(/^#/, "");
  const url = `${server.url}/v1/agents/main/sessions/${session}/permissions`;
  const answer = await page.request.put(url, { data: { ask: [{ tool: "write_file" }] } });
  expect(answer.status()).toBe(200);
}

describe("work in the background with the real Worker", () => {
  beforeAll(async () => {
    state = await mkdtemp(`${tmpdir()}/carrel-tasks-`);
    [server, browser] = await Promise.all([startDevServer(state), launchChromium()]);
    watched = await openPage(browser, `${server.url}/`);
    ({ page } = watched);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(state, { recursive: true });
  });

  it("[A9] is shown while it goes on, asks under its name, also after a reload, and is told once", async () => {
    await send("Hello.");
    await page.getByText("The answer is complete.").waitFor({ state: "attached" });
    await askForWrites();
    await send(spawn("by-a-subagent.md"));
    await bar().getByText("waits for you").waitFor();
    await bar().getByText("asked by the subagent general-purpose").waitFor();
    await question().waitFor();
    await page.reload();
    await question().waitFor();
    await question().getByRole("button", { name: "Approve" }).click();
    await bar().waitFor({ state: "hidden" });
    await expect.poll(() => page.locator("#turns").innerText()).toMatch(/general-purpose is done/);
    await page.getByText("What went on in the background has ended.").waitFor();
  });

  it("[U5] is stopped there", async () => {
    await send(spawn("never.md"));
    await bar().getByText("waits for you").waitFor();
    await bar()
      .getByRole("button", { name: /^Stop general-purpose/ })
      .click();
    await bar().waitFor({ state: "hidden" });
    await page.reload();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(await bar().isHidden()).toBe(true);
    expect(watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });
});
