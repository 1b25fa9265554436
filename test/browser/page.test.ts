import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { launchChromium, openPage, type Watched } from "./chromium.ts";
import { PlayedModel } from "./played-model.ts";

let browser: Browser;
let model: PlayedModel;
let server: DevServer;
let state: string;
let watched: Watched;
let page: Page;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "carrel-page-"));
  [browser, model] = await Promise.all([launchChromium(), PlayedModel.start()]);
  server = await startDevServer(state, { env: model.env });
}, 60_000);
afterAll(async () => {
  await server.stop();
  await Promise.all([browser.close(), model.close()]);
  await rm(state, { recursive: true, force: true });
});

beforeEach(async () => {
  watched = await openPage(browser, server.url);
  ({ page } = watched);
});
afterEach(async () => {
  expect(watched).toMatchObject({ foreign: [], dialogs: [] });
  await page.context().close();
});

async function send(text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

const see = (text: string) => page.getByText(text).first().waitFor();

/** Has one turn, so that there is a session. */
async function hello(): Promise<void> {
  await send("Hello");
  const ask = await model.next();
  ask.say("Hello.");
  ask.finish();
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
}

/** Gives the open session a rule that its calls of a tool are asked about. */
async function askBefore(tool: string): Promise<void> {
  const session = new URL(page.url()).hash.slice(2);
  const answer = await fetch(`${server.url}/v1/agents/main/sessions/${session}/permissions`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ask: [{ tool }] }),
  });
  expect(answer.status).toBe(200);
}

describe("the page before the real server", () => {
  it("is served with its policy", async () => {
    const { headers } = await fetch(server.url);
    expect(headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("streams an answer with reasoning and a tool call, and shows the same after a reload", async () => {
    await send("What time is it?");
    const first = await model.next();
    first.think("I need the clock.");
    first.say("Let me look. ");
    await see("Let me look.");
    first.call("current_time", "{}");
    first.finish("tool_calls");
    const second = await model.next();
    expect(second.roles.slice(-2)).toEqual(["assistant", "tool"]);
    second.say("It is **now**.");
    second.finish();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    const shown = () =>
      page.locator(".turn").evaluate((turn) => {
        const texts = [
          ...turn.querySelectorAll(".asked, .answer .prose, .tool .name, .tool .status"),
        ];
        return texts.map((node) => node.textContent);
      });
    const before = await shown();
    expect(before).toEqual([
      "What time is it?",
      "I need the clock.",
      "Let me look.",
      "current_time",
      "done",
      "It is now.",
    ]);
    await page.reload();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await shown()).toEqual(before);
    expect(watched.errors).toEqual([]);
  });

  it("[S5] shows a reloaded page the whole unfinished answer and goes on", async () => {
    await send("Tell me a story");
    const ask = await model.next();
    ask.say("Once upon a time ");
    await see("Once upon a time");
    await page.reload();
    await see("Once upon a time");
    ask.say("there was a desk.");
    await see("Once upon a time there was a desk.");
    ask.finish();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await page.locator(".answer").allInnerTexts()).toEqual([
      "Once upon a time there was a desk.",
    ]);
  });

  it("[T9] stops: the model is hung up on and what was said stays", async () => {
    await send("Count to a million");
    const ask = await model.next();
    ask.say("one, two");
    await see("one, two");
    await page.getByRole("button", { name: "Stop" }).click();
    await ask.hungUp;
    await see("Stopped.");
    await page.reload();
    await see("one, two");
    await see("Stopped.");
  });

  it("says why a turn failed, and answers again on request", async () => {
    await send("Hello");
    (await model.next()).fail(401, "no such key");
    const banner = page.getByRole("group", { name: "Error" });
    await banner.getByText("model_auth").waitFor();
    await banner.getByRole("button", { name: "Try again" }).click();
    const ask = await model.next();
    ask.say("Hello again.");
    ask.finish();
    await see("Hello again.");
    expect(await page.locator(".turn").count()).toBe(1);
  });

  it("[S2] takes back half an answer when the server is killed, and shows the whole one", async () => {
    await send("Survive this");
    const lost = await model.next();
    lost.say("A half-finished thou");
    await see("A half-finished thou");
    const { port } = server;
    await server.kill9();
    server = await startDevServer(state, { env: model.env, port });
    const ask = await model.next();
    await page.getByText("A half-finished thou").waitFor({ state: "detached" });
    ask.say("A finished thought.");
    ask.finish();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await page.locator(".answer").allInnerTexts()).toEqual(["A finished thought."]);
  });

  it("asks before a call, also after a reload, and runs it once it is approved", async () => {
    await hello();
    await askBefore("current_time");
    await send("What time is it?");
    const second = await model.next();
    second.call("current_time", "{}");
    second.finish("tool_calls");
    const card = page.getByRole("group", { name: "May current_time run?" });
    await card.waitFor();
    await page.reload();
    await card.getByRole("button", { name: "Approve" }).click();
    const third = await model.next();
    expect(third.roles.slice(-2)).toEqual(["assistant", "tool"]);
    third.say("It is late.");
    third.finish();
    await see("It is late.");
    await see("Approved by you.");
    expect(await page.locator(".tool .status").innerText()).toBe("done");
    expect(watched.errors).toEqual([]);
  });

  it("[A8] denies what waits when a message comes, and answers that", async () => {
    await hello();
    await askBefore("current_time");
    await send("What time is it?");
    const second = await model.next();
    second.call("current_time", "{}");
    second.finish("tool_calls");
    await page.getByRole("group", { name: "May current_time run?" }).waitFor();
    await send("Never mind");
    const third = await model.next();
    expect(third.roles.at(-1)).toBe("user");
    third.say("Fine.");
    third.finish();
    await see("Fine.");
    expect(await page.locator(".tool .status").innerText()).toBe("denied");
    await page.reload();
    await see("Fine.");
    expect(await page.locator(".asked").allInnerTexts()).toEqual([
      "Hello",
      "What time is it?",
      "Never mind",
    ]);
  });

  it("begins in the mode that was chosen for it", async () => {
    await page.getByRole("combobox", { name: "How much the agent may do" }).selectOption("EXPLORE");
    await send("Write it down");
    const first = await model.next();
    first.call("write_file", '{"path":"note.md","content":"x"}');
    first.finish("tool_calls");
    const second = await model.next();
    second.say("I may not.");
    second.finish();
    await see("I may not.");
    expect(await page.locator(".tool .status").innerText()).toBe("denied");
    expect(await page.locator("#mode-name").innerText()).toBe("Explore (read only)");
  });

  it("renames, clears and deletes a conversation for good", async () => {
    await send("A first name");
    const ask = await model.next();
    ask.say("Noted.");
    ask.finish();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    const row = (name: string) => page.getByRole("link", { name });
    const pick = async (name: string, item: string) => {
      await row(name).hover();
      await page.getByRole("button", { name: `More for “${name}”` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await pick("A first name", "Rename");
    await page.keyboard.type("A better name");
    await page.keyboard.press("Enter");
    await page.reload();
    await row("A better name").waitFor();
    await pick("A better name", "Clear the conversation");
    await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
    await page.getByText("Noted.").waitFor({ state: "detached" });
    const { hash } = new URL(page.url());
    await pick("A better name", "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row("A better name").waitFor({ state: "detached" });
    await page.goto(`${server.url}/${hash}`);
    await page.reload();
    await page.getByRole("heading", { name: "This conversation was deleted" }).waitFor();
  });
});
