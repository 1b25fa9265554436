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

const bar = () => page.getByRole("region", { name: "Plan and to-dos" });
const toggle = () => page.getByRole("button", { name: "Plan", exact: true });
const said = (text: string | RegExp) => bar().getByText(text);

async function send(text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

describe("planning with the real Worker", () => {
  beforeAll(async () => {
    state = await mkdtemp(`${tmpdir()}/carrel-plan-`);
    [server, browser] = await Promise.all([startDevServer(state), launchChromium()]);
    watched = await openPage(browser, `${server.url}/`);
    ({ page } = watched);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(state, { recursive: true });
  });

  it("shows what is to be done, and what is done of it", async () => {
    const todos = [
      { content: "Read the <b>reports</b>", status: "completed" },
      { content: "Draft the outline", status: "in_progress", priority: "high" },
    ];
    await send(`/tool todo_write ${JSON.stringify({ todos })}`);
    await said("1 of 2 done").waitFor();
    await said("1 of 2 done").click();
    await bar().getByRole("listitem").filter({ hasText: "Read the <b>reports</b>" }).waitFor();
    await page.reload();
    await said("1 of 2 done").waitFor();
  });

  it("[P1] begins and ends by hand, and shows which", async () => {
    await toggle().click();
    await said(/only reads, until you approve/).waitFor();
    expect(await toggle().getAttribute("aria-pressed")).toBe("true");
    await send('/tool write_file {"path":"a.md","content":"x"}');
    await page.getByText("denied", { exact: true }).first().waitFor();
    await toggle().click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await expect.poll(() => toggle().getAttribute("aria-pressed")).toBe("false");
  });

  it("[P2] asks a person who reads the plan, and goes on once they approve it", async () => {
    await send("/tool plan_enter {}");
    await said(/only reads/).waitFor();
    const content = "# The plan\n\n1. Read.\n2. Write <script>alert(1)</script>.";
    await send(`/tool plan_write ${JSON.stringify({ content })}`);
    await said(/a plan is written/).waitFor();
    await send("/tool plan_exit {}");
    const card = page.getByRole("group", { name: "May plan_exit run?" });
    await card.getByRole("heading", { name: "The plan" }).waitFor();
    await card.getByText("Write <script>alert(1)</script>.").waitFor();
    await card.getByRole("button", { name: "Approve" }).click();
    await said("You approved the plan.").waitFor();
    await bar().getByRole("button", { name: "Read the plan" }).click();
    const panel = page.getByRole("complementary", { name: "Files" });
    await panel.getByText("PLAN.md").locator("visible=true").first().waitFor();
    expect(watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });
});
