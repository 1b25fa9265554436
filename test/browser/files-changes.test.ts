import { describe, expect, it } from "vitest";
import { useFilesDesk, WIDE } from "./files-desk.ts";

const files = useFilesDesk();

describe("a new file", () => {
  it("is made at a checked path, in the folder where one is, and opens", async () => {
    await files().open(WIDE);
    await files().row("knowledge").click();
    await files().button("New file").click();
    const path = files().panel.getByRole("textbox", { name: "Path of the new file" });
    expect(await path.inputValue()).toBe("knowledge/");
    await path.press("Enter");
    await files().panel.getByText("Write the file's name after the folder.").waitFor();
    await path.fill("knowledge/../../etc/passwd");
    await path.press("Enter");
    await files().panel.getByText("A path cannot contain “..”.").waitFor();
    expect(files().workspace.writes).toEqual([]);
    await path.fill("knowledge/turns.md");
    await path.press("Enter");
    await files().panel.getByText('"knowledge/turns.md" exists already').waitFor();
    await path.fill("knowledge/a b#c?.md");
    await path.press("Enter");
    await files().editor.waitFor();
    expect(await files().editor.getAttribute("aria-label")).toBe("Text of knowledge/a b#c?.md");
    expect(files().workspace.writes.at(-1)).toMatchObject({ ifNoneMatch: "*" });
    expect(await files().workspace.text("knowledge/a b#c?.md")).toBe("");
  });
});

describe("deleting", () => {
  it("[W6] hides a file of the template, says so before, and can be undone", async () => {
    await files().open(WIDE);
    await files().pick("AGENTS.md");
    await files().editor.waitFor();
    await files().button("Delete").click();
    const dialog = files().dialog("Delete “AGENTS.md”?");
    await dialog.getByText("It comes from the template. Deleting hides it").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(files().workspace.writes).toEqual([]);
    await files().button("Delete").click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await files().row("AGENTS.md deleted").waitFor();
    expect(await files().workspace.layerOf("AGENTS.md")).toBeNull();
    await files().panel.getByRole("alert").getByRole("button", { name: "Undo" }).click();
    await files().row("AGENTS.md template").waitFor();
    expect(await files().editor.inputValue()).toBe("# Agent\n\nBe *kind*.\n");
  });

  it("of one's own version hides what lies under it, and can be undone", async () => {
    await files().workspace.put("own", "AGENTS.md", "# Mine\n");
    await files().workspace.put("template", "AGENTS.md", "# Agent\n");
    const etag = await files().workspace.etagOf("AGENTS.md");
    await files().open(WIDE);
    await files().pick("AGENTS.md");
    await files().button("Delete").click();
    const dialog = files().dialog("Delete “AGENTS.md”?");
    await dialog.getByText("The file of the template under it will be hidden as well.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await files().row("AGENTS.md deleted").waitFor();
    expect(files().workspace.writes.at(-1)).toMatchObject({
      method: "DELETE",
      ifMatch: `"${etag}"`,
    });
    await files().panel.getByRole("alert").getByRole("button", { name: "Undo" }).click();
    await files().row("AGENTS.md yours").waitFor();
    expect(await files().workspace.text("AGENTS.md")).toBe("# Mine\n");
    expect(files().workspace.writes.at(-1)).toMatchObject({ method: "PUT", ifNoneMatch: "*" });
  });

  it("of bytes that have no history gives them back unchanged", async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 1]);
    await files().workspace.put("own", "tool.bin", bytes);
    await files().open(WIDE);
    await files().pick("tool.bin");
    await files().button("Delete").click();
    await files().dialog("Delete “tool.bin”?").getByRole("button", { name: "Delete" }).click();
    await files().row("tool.bin").waitFor({ state: "detached" });
    await files().panel.getByRole("alert").getByRole("button", { name: "Undo" }).click();
    await files().row("tool.bin yours").waitFor();
    expect(await files().workspace.bytes("tool.bin")).toEqual(bytes);
  });

  it("does nothing to a file that someone else changed meanwhile", async () => {
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    await files().editor.waitFor();
    await files().workspace.put("own", "notes/mine.txt", "theirs\n", "user:bob");
    await files().button("Delete").click();
    await files().dialog("Delete “mine.txt”?").getByRole("button", { name: "Delete" }).click();
    await files().panel.getByText("“mine.txt” was changed meanwhile.").waitFor();
    expect(files().workspace.writes).toEqual([]);
    await expect.poll(() => files().editor.inputValue()).toBe("theirs\n");
  });

  it("[W6] is shown in the tree for what lies below, which can be brought back", async () => {
    await files().workspace.put("template", "AGENTS.md", "# Agent\n");
    await files().workspace.remove("AGENTS.md");
    await files().open(WIDE);
    await files().row("AGENTS.md deleted").click();
    await files().panel.getByText("You deleted this file.").waitFor();
    await files().button("Bring it back").click();
    await files().row("AGENTS.md template").waitFor();
    await expect.poll(() => files().editor.inputValue()).toBe("# Agent\n\nBe *kind*.\n");
  });
});

describe("[W6] resetting", () => {
  it("is offered for an override only, and brings the lower file back", async () => {
    await files().workspace.put("own", "AGENTS.md", "# Mine\n");
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    await files().editor.waitFor();
    expect(await files().button("Reset").count()).toBe(0);
    await files().pick("AGENTS.md");
    await files().button("Reset").click();
    const dialog = files().dialog("Reset “AGENTS.md”?");
    await dialog.getByText("The file of the template shows again").waitFor();
    await dialog.getByRole("button", { name: "Reset" }).click();
    await files().row("AGENTS.md template").waitFor();
    await expect.poll(() => files().editor.inputValue()).toBe("# Agent\n\nBe *kind*.\n");
    expect(files().workspace.writes).toMatchObject([{ method: "DELETE", query: "?reset=" }]);
    await files().panel.getByRole("alert").getByRole("button", { name: "Undo" }).click();
    await files().row("AGENTS.md yours").waitFor();
    expect(await files().workspace.text("AGENTS.md")).toBe("# Mine\n");
  });
});

describe("[W15] the history", () => {
  it("names who wrote and when, shows what it was, and restores it", async () => {
    await files().workspace.put("own", "knowledge/plan.md", "first\n", "agent:main/s1");
    await files().workspace.put("own", "knowledge/plan.md", "second\n", "job:consolidation");
    await files().workspace.put("own", "knowledge/plan.md", "third\n", "user:bob");
    await files().open(WIDE);
    await files().pick("knowledge/plan.md");
    await files().button("History").click();
    const versions = files().panel.getByRole("region", { name: "History" }).getByRole("listitem");
    await expect.poll(() => versions.count()).toBe(3);
    const first = versions.last();
    await first.getByText("the agent main").waitFor();
    await versions.nth(1).getByText("the job consolidation").waitFor();
    await versions.first().getByText("now").waitFor();
    expect(
      await versions
        .first()
        .getByRole("button", { name: /^Restore/ })
        .count(),
    ).toBe(0);
    await first.getByRole("button", { name: /^View/ }).click();
    expect(await first.locator("pre").innerText()).toBe("first\n");
    await first.getByRole("button", { name: /^Restore/ }).click();
    await expect.poll(() => versions.count()).toBe(4);
    expect(files().workspace.writes).toMatchObject([{ method: "PUT", query: "?undo=1" }]);
    expect(await files().workspace.text("knowledge/plan.md")).toBe("first\n");
    await files().button("History").click();
    expect(await files().editor.inputValue()).toBe("first\n");
  });

  it("says when there is none yet", async () => {
    await files().open(WIDE);
    await files().pick("AGENTS.md");
    await files().button("History").click();
    await files().panel.getByText("No earlier version is kept.").waitFor();
  });
});
