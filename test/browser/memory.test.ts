import { describe, expect, it } from "vitest";
import { entry, remembered, run, useMemoryDesk } from "./memory-desk.ts";
import { nothing } from "./served-memory.ts";

const memory = useMemoryDesk();
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

/** A conversation that the person has, to be named as a source. */
function hasConversation(id: string, title: string): void {
  const session = memory().desk.server.session(id);
  session.title = title;
}

describe("the memory panel", () => {
  it("[M7] says of every entry where it comes from and who wrote it, and how full the memory is", async () => {
    hasConversation("tea-talk", "About tea");
    memory().memory.overview = remembered("tea-talk");
    await memory().open();
    const { panel } = memory();
    await panel.getByText("15% full · 1,240 of 8,000 tokens").waitFor();
    await panel.getByText("3 new notes wait for the next tidy-up").waitFor();
    await memory().item("Prefers tea").getByText("Saved in “About tea”, just now").waitFor();
    const train = await memory().item("train").innerText();
    expect(train).toContain("From a conversation that is not in your list, yesterday");
    expect(train).toMatch(/tidied up\s2 hours ago/);
    expect(train).toContain("1 more");
    expect(await memory().item("train").locator("strong").innerText()).toBe("train");
    await memory().item("Be brief").getByText("Written into the file by hand").waitFor();
    expect(await panel.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
      "Preferences",
      "House rules",
      "Last tidy-ups",
    ]);
    await panel.getByText("2 entries were forgotten so far.").waitFor();
    const time = memory().item("Prefers tea").locator("time");
    expect(await time.getAttribute("title")).toMatch(/\d{1,2}:\d{2}/);
  });

  it("opens what a thing comes from: its conversation, its note, and the record of a tidy-up", async () => {
    hasConversation("tea-talk", "About tea");
    memory().memory.overview = remembered("tea-talk");
    const { workspace } = memory().desk.server;
    await workspace.put("own", "memory/2031-05-05.md", "- tea\n");
    await workspace.put("own", "memory/.consolidation/r1.md", "What was done.\n");
    await memory().open();
    await memory().panel.getByRole("link", { name: "“About tea”" }).click();
    await expect.poll(() => new URL(memory().page.url()).hash).toBe("#/tea-talk");
    await memory().item("Prefers tea").getByText("Saved in this conversation").waitFor();
    await memory().item("Prefers tea").getByRole("button", { name: "note" }).click();
    const files = memory().page.getByRole("complementary", { name: "Files" });
    const text = files.getByRole("textbox", { name: "Text of memory/2031-05-05.md" });
    await expect.poll(() => text.inputValue()).toBe("- tea\n");
    expect(await memory().panel.isVisible()).toBe(false);
    await memory().page.getByRole("button", { name: "Memory" }).click();
    await memory().panel.getByText("2 hours ago: 2 kept, 1 added.").waitFor();
    expect(await files.isVisible()).toBe(false);
    await memory().button("Record").click();
    const record = files.getByRole("textbox", { name: /consolidation\/r1\.md/ });
    await expect.poll(() => record.inputValue()).toBe("What was done.\n");
    await workspace.remove("memory/2031-05-05.md");
    await memory().page.getByRole("button", { name: "Memory" }).click();
    await memory().item("Prefers tea").getByRole("button", { name: "note" }).click();
    await files.getByText("“memory/2031-05-05.md” is not there any more.").waitFor();
    expect(memory().desk.watched.errors).toEqual([]);
  });

  it("takes the place of the files, unless text there is not saved, and comes back after a reload", async () => {
    await memory().desk.server.workspace.put("own", "a.txt", "a\n");
    await memory().desk.open();
    const { page } = memory();
    const files = page.getByRole("complementary", { name: "Files" });
    await page.locator("#open-files").click();
    await files.getByRole("treeitem", { name: "a.txt" }).click();
    await files.getByRole("textbox", { name: "Text of a.txt" }).fill("b\n");
    await page.locator("#open-memory").click();
    const dialog = memory().dialog("Changes that are not saved");
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    expect(await memory().panel.count()).toBe(0);
    await page.locator("#open-memory").click();
    await dialog.getByRole("button", { name: "Discard" }).click();
    await memory().panel.getByText("Nothing is remembered yet.").waitFor();
    expect(await files.count()).toBe(0);
    expect(await memory().focused()).toBe("Memory");
    expect(await page.locator("#open-memory").getAttribute("aria-expanded")).toBe("true");
    await page.reload();
    await memory().panel.getByText("Nothing is remembered yet.").waitFor();
    await memory().button("Close the memory").click();
    expect(await memory().focused()).toBe("Memory");
    await page.reload();
    await memory().desk.box.waitFor();
    expect(await memory().panel.count()).toBe(0);
  });

  it("reads anew when a turn ends, and keeps the focus where it is", async () => {
    memory().memory.overview = { ...nothing, entries: [entry("tea", "Prefers tea.")] };
    await memory().open();
    await memory().item("Prefers tea").waitFor();
    await memory().button("Forget: Prefers tea.").focus();
    const turn = await memory().desk.begin("I moved to Bergen.");
    await memory().button("Forget: Prefers tea.").focus();
    memory().memory.overview = {
      ...nothing,
      entries: [entry("bergen", "Lives in Bergen."), entry("tea", "Prefers tea.")],
    };
    turn.text("Noted.").endStep().end();
    await memory().item("Lives in Bergen.").waitFor();
    expect(await memory().focused()).toBe("Forget: Prefers tea.");
    expect(memory().memory.reads).toBe(2);
  });

  it("says why it cannot be read, and asks for a key that is missing", async () => {
    const { server } = memory().desk;
    server.memory.overview = remembered("x");
    server.memory.refusals.push({
      of: "memory",
      status: 503,
      code: "overloaded",
      message: "The memory is busy.",
    });
    await memory().open();
    const notice = memory().panel.getByRole("alert");
    await notice.getByText("The memory is busy. (e7)").waitFor();
    await notice.getByRole("button", { name: "Try again" }).click();
    await memory().item("Prefers tea").waitFor();
    server.key = "secret-key";
    await memory().button("Read the memory again").click();
    const dialog = memory().dialog("This desk needs a key");
    await dialog.getByLabel("API key").fill("secret-key");
    await memory().page.keyboard.press("Enter");
    await notice.waitFor({ state: "hidden" });
    await memory().item("Prefers tea").waitFor();
  });

  it("covers a narrow screen without scrolling sideways, and makes room for a conversation", async () => {
    hasConversation("tea-talk", "A conversation about tea, coffee, and what is in the house");
    const long = "word".repeat(80);
    memory().memory.overview = {
      ...remembered("tea-talk"),
      runs: [run({ state: "refused", why: long })],
      entries: [...remembered("tea-talk").entries, entry("long", long)],
    };
    await memory().open(phone);
    await memory().item(long).waitFor();
    const wide = await memory().panel.evaluate(
      (root) =>
        [...root.querySelectorAll("*")].filter(
          (node) => node.getBoundingClientRect().right > innerWidth + 1,
        ).length,
    );
    expect(wide).toBe(0);
    expect(await memory().desk.box.isVisible()).toBe(false);
    await memory()
      .panel.getByRole("link", { name: /^“A conversation about tea/ })
      .tap();
    await memory().desk.box.waitFor();
    expect(new URL(memory().page.url()).hash).toBe("#/tea-talk");
    expect(await memory().panel.count()).toBe(0);
  });
});
