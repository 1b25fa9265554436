import { describe, expect, it } from "vitest";
import { useDesk } from "./desk.ts";

const desk = useDesk();

describe("a deployment with keys", () => {
  it("asks for the key once, and keeps it on the device until it is forgotten", async () => {
    desk().server.key = "secret-key";
    await desk().open();
    await desk().page.getByRole("textbox", { name: "Message" }).fill("let me in");
    await desk().page.keyboard.press("Enter");
    const dialog = desk().page.getByRole("dialog", { name: "This desk needs a key" });
    await dialog.getByLabel("API key").fill("secret-key");
    await desk().page.keyboard.press("Enter");
    (await desk().server.nextTurn()).start().step().text("Welcome.").endStep().end();
    await desk().page.getByText("Welcome.").waitFor();
    await desk().page.reload();
    await desk().page.getByText("Welcome.").waitFor();
    await desk().page.getByRole("button", { name: "Forget the key" }).click();
    await dialog.waitFor();
  });
});

describe("a narrow screen", () => {
  const phone = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true };

  it("shows everything without scrolling sideways, and the list as a drawer", async () => {
    await desk().open(phone);
    const turn = await desk().begin("A message with a_very_long_word_".repeat(6));
    turn
      .call("shell", JSON.stringify({ command: "x".repeat(300) }))
      .endStep()
      .result("success", "y".repeat(500))
      .step()
      .text(
        `${"word".repeat(60)}\n\n| a | b |\n|-|-|\n| ${"c".repeat(90)} | d |\n\n\`\`\`\n${"code ".repeat(60)}\n\`\`\`\n`,
      )
      .end("failed", { code: "unavailable", message: "z".repeat(200) });
    await desk().page.getByRole("group", { name: "Error" }).waitFor();
    const width = await desk().page.evaluate(() => {
      const scroller = document.getElementById("scroller");
      return [document.documentElement.scrollWidth, scroller?.scrollWidth];
    });
    expect(width).toEqual([360, 360]);
    const rail = desk().page.getByRole("navigation", { name: "Conversations" });
    expect(await rail.isVisible()).toBe(false);
    await desk().page.getByRole("button", { name: "Conversations" }).click();
    await rail.getByRole("button", { name: "New conversation" }).waitFor();
    await desk().page.keyboard.press("Escape");
    await rail.waitFor({ state: "hidden" });
    await desk().page.getByRole("button", { name: "Conversations" }).click();
    await rail.getByRole("button", { name: "New conversation" }).click();
    await desk().page.getByText("A quiet desk, and someone to think with.").waitFor();
    await rail.waitFor({ state: "hidden" });
  });
});

describe("the keyboard", () => {
  it("reaches everything, and every stop shows where one is", async () => {
    await desk().open();
    (await desk().begin("hello"))
      .call("grep", '{"for":"something"}')
      .endStep()
      .result("success", "found")
      .step()
      .text("Finished.")
      .end();
    await desk().page.getByText("Finished.").waitFor();
    await desk().page.locator("#skip").focus();
    const stops: string[] = [];
    for (let presses = 0; presses < 20; presses++) {
      const stop = await desk().page.evaluate(() => {
        const node = document.activeElement;
        if (!node || node === document.body) return null;
        const { outlineStyle } = getComputedStyle(node);
        const isShown = outlineStyle !== "none" || node.id === "message";
        const name = node.getAttribute("aria-label") ?? node.textContent ?? "";
        return `${name.trim()}${isShown ? "" : " without focus ring"}`;
      });
      if (stop === null) break;
      stops.push(stop);
      await desk().page.keyboard.press("Tab");
    }
    expect(stops).toEqual([
      "Skip to the message box",
      "New conversation",
      "Files",
      "Memory",
      "Skills",
      "hello",
      "More for “hello”",
      "Conversation",
      "Arguments",
      "Result",
      "Copy",
      "Regenerate",
      "Message",
      "Attach a picture",
      "How much the agent may do",
      "Rules",
    ]);
  });
});

describe("following", () => {
  it("stays at the end while text comes, unless the person scrolls up", async () => {
    await desk().open();
    const turn = await desk().begin("a long story");
    const paragraph = (number: number) => `Paragraph ${number}. ${"word ".repeat(120)}\n\n`;
    for (let number = 1; number <= 12; number++) turn.text(paragraph(number));
    await desk().page.getByText("Paragraph 12.").waitFor();
    const gap = () =>
      desk()
        .page.locator("#scroller")
        .evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
    await expect.poll(gap).toBeLessThan(2);
    await desk().page.locator("#scroller").hover();
    await desk().page.mouse.wheel(0, -600);
    await expect.poll(gap).toBeGreaterThan(300);
    turn.text(paragraph(13));
    await desk().page.getByText("Paragraph 13.").waitFor();
    expect(await gap()).toBeGreaterThan(300);
    await desk().page.getByRole("button", { name: "Jump to the latest" }).click();
    await expect.poll(gap).toBeLessThan(2);
    turn.text(paragraph(14)).end();
    await desk().page.getByText("Paragraph 14.").waitFor();
    await expect.poll(gap).toBeLessThan(2);
  });
});
