import { describe, expect, it } from "vitest";
import { useFilesDesk, WIDE } from "./files-desk.ts";

const files = useFilesDesk();

const isGuarded = () =>
  files().page.evaluate(() => !dispatchEvent(new Event("beforeunload", { cancelable: true })));

describe("[W9] two writers of one file", () => {
  async function collide(): Promise<void> {
    await files().open();
    await files().pick("notes/mine.txt");
    await files().editor.fill("what I typed\n");
    await files().workspace.put("own", "notes/mine.txt", "theirs\n", "agent:main/s1");
    await files().button("Save").click();
    const conflict = files().panel.getByRole("alert");
    await conflict.getByText(/^The agent main changed this file while you were writing/).waitFor();
    expect(await files().workspace.text("notes/mine.txt")).toBe("theirs\n");
    expect(await files().editor.inputValue()).toBe("what I typed\n");
  }

  it("are told of each other, and the person may take what the other wrote", async () => {
    await collide();
    await files().button("Load theirs").click();
    await expect.poll(() => files().editor.inputValue()).toBe("theirs\n");
    expect(await isGuarded()).toBe(false);
  });

  it("are told of each other, and the person may overwrite what was shown, but not what came after", async () => {
    await collide();
    await files().workspace.put("own", "notes/mine.txt", "theirs, once more\n", "user:bob");
    await files().button("Overwrite").click();
    await files()
      .panel.getByText(/^Bob changed this file/)
      .waitFor();
    expect(await files().workspace.text("notes/mine.txt")).toBe("theirs, once more\n");
    await files().button("Overwrite").click();
    await files().panel.getByText("Saved", { exact: true }).waitFor();
    expect(await files().workspace.text("notes/mine.txt")).toBe("what I typed\n");
  });

  it("lose nothing when one of them deletes it", async () => {
    await files().open();
    await files().pick("notes/mine.txt");
    await files().editor.fill("still wanted\n");
    await files().workspace.remove("notes/mine.txt");
    await files().button("Read the files again").click();
    await files().panel.getByText("This file was deleted while you were writing.").waitFor();
    await files().button("Save it again").click();
    await files().panel.getByText("Saved", { exact: true }).waitFor();
    expect(await files().workspace.text("notes/mine.txt")).toBe("still wanted\n");
    expect(files().workspace.writes.at(-1)).toMatchObject({ ifNoneMatch: "*" });
  });

  it("[W3] see what the agent wrote when its turn ends", async () => {
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    const turn = await files().desk().begin("write it down");
    await files().workspace.put("own", "notes/mine.txt", "by the agent\n", "agent:main/s1");
    await files().workspace.put("own", "notes/more.txt", "more\n", "agent:main/s1");
    turn.text("Done.").end();
    await expect.poll(() => files().editor.inputValue()).toBe("by the agent\n");
    await files().row("more.txt").waitFor();
  });
});

describe("text that is not saved", () => {
  it("is asked about before another file is shown or the panel closes", async () => {
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    await files().editor.fill("half a thought");
    await files().row("AGENTS.md").click();
    const dialog = files().dialog("Changes that are not saved");
    await dialog.getByText("“notes/mine.txt” was changed here and not saved.").waitFor();
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    expect(await files().editor.inputValue()).toBe("half a thought");
    await files().button("Close the files").click();
    await files().page.keyboard.press("Escape");
    expect(await files().editor.inputValue()).toBe("half a thought");
    await files().row("AGENTS.md").click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => files().editor.inputValue()).toBe("# Agent\n\nBe *kind*.\n");
    expect(await files().workspace.text("notes/mine.txt")).toBe("half a thought");
    await files().editor.fill("never mind");
    await files().button("Close the files").click();
    await dialog.getByRole("button", { name: "Discard" }).click();
    await files().panel.waitFor({ state: "hidden" });
    expect(await files().workspace.layerOf("AGENTS.md")).toBe("template");
  });

  it("keeps the page from being left, and is found again after a reload", async () => {
    await files().open();
    await files().pick("notes/mine.txt");
    expect(await isGuarded()).toBe(false);
    await files().editor.fill("half a thought");
    expect(await isGuarded()).toBe(true);
    await files().workspace.put("own", "notes/mine.txt", "theirs\n", "user:bob");
    const { page } = files();
    // A second tab with what the first one kept stands for the same tab after the browser ended.
    const again = await page.context().newPage();
    const name = "carrel.files.unsaved";
    const text = await page.evaluate((key) => sessionStorage.getItem(key) ?? "", name);
    await again.addInitScript(
      (entries: [string, string][]) => {
        for (const [key, value] of entries) sessionStorage.setItem(key, value);
      },
      [
        [name, text],
        ["carrel.files", JSON.stringify({ isOpen: true })],
      ] as [string, string][],
    );
    await again.goto(page.url());
    const editor = again.getByRole("textbox", { name: "Text of notes/mine.txt" });
    await editor.waitFor();
    await expect.poll(() => editor.inputValue()).toBe("half a thought");
    await again.getByText(/^Bob changed this file while you were writing/).waitFor();
  });

  it("stays when it cannot be saved, with the server's words", async () => {
    await files().open();
    await files().pick("notes/mine.txt");
    await files().editor.fill("too much");
    files().workspace.refusals.push({
      method: "PUT",
      status: 413,
      code: "too_large",
      message: "The workspace is full. Delete something first.",
    });
    await files().button("Save").click();
    await files().panel.getByText("The workspace is full. Delete something first. (e9)").waitFor();
    expect(await files().editor.inputValue()).toBe("too much");
    await files().panel.getByText("Not saved").waitFor();
    await files().button("Save").click();
    await files().panel.getByText("Saved", { exact: true }).waitFor();
  });

  it("stays with the conversation whose file it is", async () => {
    await files().open();
    await files().pick("notes/mine.txt");
    await files().editor.fill("half a thought");
    await files().desk().send("hello");
    (await files().desk().server.nextTurn()).start().step().text("Good day.").end();
    await files().desk().see("Good day.");
    expect(await files().editor.inputValue()).toBe("half a thought");
    files().workspace.sessions.length = 0;
    await files().button("Save").click();
    await expect.poll(() => files().workspace.sessions.at(-1)).not.toBeNull();
    expect(files().workspace.sessions[0]).toBeNull();
    expect(await files().workspace.text("notes/mine.txt")).toBe("half a thought");
  });
});
