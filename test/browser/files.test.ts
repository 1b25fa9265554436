import { describe, expect, it } from "vitest";
import { useFilesDesk, WIDE } from "./files-desk.ts";

const files = useFilesDesk();

/** One transparent pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("the tree", () => {
  it("[W4] shows every file with its layer and size, folders first, and opens folders", async () => {
    await files().open();
    await files().row("notes").click();
    await files().row("knowledge").click();
    expect(await files().panel.getByRole("treeitem").allInnerTexts()).toEqual([
      "knowledge",
      "models.md\ntemplate\n9 B",
      "turns.md\ntemplate\n8 B",
      "notes",
      "house.md\nshared\n12 B",
      "mine.txt\nyours\n5 B",
      "AGENTS.md\ntemplate\n20 B",
    ]);
    await files().row("knowledge").click();
    expect(await files().row("turns.md").count()).toBe(0);
  });

  it("filters by every word of a path, and says when nothing matches", async () => {
    await files().open();
    const filter = files().panel.getByRole("searchbox", { name: "Filter the files" });
    await filter.fill("know TURN");
    expect(await files().panel.getByRole("treeitem").allInnerTexts()).toEqual([
      "knowledge",
      "turns.md\ntemplate\n8 B",
    ]);
    await filter.fill("nothing like it");
    await files().panel.getByText("No file matches “nothing like it”.").waitFor();
    await filter.press("Escape");
    await files().row("AGENTS.md").waitFor();
  });

  it("reads every page of a long list", async () => {
    const many = (from: number, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `many/${String(from + index).padStart(4, "0")}.txt`,
          "",
        ]),
      );
    await files().workspace.putAll("own", many(0, 1_500));
    await files().workspace.putAll("shared", many(1_500, 845));
    await files().open();
    const filter = files().panel.getByRole("searchbox", { name: "Filter the files" });
    await filter.fill("2344");
    await files().row("2344.txt").waitFor();
  });

  it("says so when there is nothing, and why the list did not come", async () => {
    const { workspace, desk } = files();
    await desk().open();
    workspace.refusals.push({
      method: "GET",
      status: 503,
      code: "overloaded",
      message: "The files are busy. Try again.",
    });
    await desk().page.locator("#open-files").click();
    const notice = files().panel.getByRole("alert");
    await notice.getByText("The files are busy. Try again. (e9)").waitFor();
    await notice.getByRole("button", { name: "Try again" }).click();
    await files().panel.getByText("No files yet.").waitFor();
  });

  it("remembers over a reload what was open, and asks for the session's files", async () => {
    await files().open();
    await files().pick("knowledge/turns.md");
    await files().editor.waitFor();
    await files().desk().send("hello");
    (await files().desk().server.nextTurn()).start().end();
    await files().page.reload();
    await files().editor.waitFor();
    expect(await files().editor.inputValue()).toBe("# Turns\n");
    const session = new URL(files().page.url()).hash.slice(2);
    expect(files().workspace.sessions.at(-1)).toBe(session);
    await files().button("Close the files").click();
    await files().page.reload();
    await files().desk().box.waitFor();
    expect(await files().panel.count()).toBe(0);
  });
});

describe("a file", () => {
  it("[W7] of the template becomes one's own by saving, with what it was read from as the condition", async () => {
    await files().open(WIDE);
    await files().pick("AGENTS.md");
    await files().panel.getByText("From the template. Saving makes your own copy.").waitFor();
    const etag = files().workspace.lab.templateEtag;
    expect(await files().button("Save").isDisabled()).toBe(true);
    await files().editor.fill("# Mine\n");
    await files().panel.getByText("Not saved").waitFor();
    await files().editor.press("ControlOrMeta+s");
    await files().panel.getByText("Saved", { exact: true }).waitFor();
    await files().row("AGENTS.md yours").waitFor();
    expect(files().workspace.writes).toMatchObject([
      { method: "PUT", path: "AGENTS.md", ifMatch: `"${etag}"`, ifNoneMatch: undefined },
    ]);
    expect(await files().workspace.text("AGENTS.md")).toBe("# Mine\n");
    await files().editor.fill("# Mine again\n");
    await files().button("Save").click();
    await files().panel.getByText("Saved", { exact: true }).waitFor();
    expect(await files().workspace.text("AGENTS.md")).toBe("# Mine again\n");
    expect(files().desk().watched.errors).toEqual([]);
  });

  it("[W5] keeps its line endings, its byte order mark and a missing last newline", async () => {
    await files().workspace.put("own", "windows.txt", "\uFEFFone\r\ntwo");
    await files().open();
    await files().pick("windows.txt");
    await files().editor.press("ControlOrMeta+End");
    await files().page.keyboard.type("\nthree");
    await files().button("Save").click();
    await files().panel.getByText("Saved", { exact: true }).waitFor();
    expect(await files().workspace.text("windows.txt")).toBe("\uFEFFone\r\ntwo\r\nthree");
  });

  it("of Markdown has a preview of what is typed", async () => {
    await files().open();
    await files().pick("AGENTS.md");
    await files().editor.fill("# Hi\n\nBe *bold*.");
    await files().button("Preview").click();
    await files().panel.locator(".preview em").getByText("bold").waitFor();
    await files().button("Preview").click();
    expect(await files().editor.inputValue()).toBe("# Hi\n\nBe *bold*.");
  });

  it("that is a picture is shown; other bytes are named and can be saved", async () => {
    await files().workspace.put("own", "dot.png", PIXEL);
    await files().workspace.put("own", "tool.bin", Buffer.from([0, 1, 2, 255]));
    await files().open();
    await files().pick("dot.png");
    const picture = files().panel.getByRole("img", { name: "dot.png" });
    await expect
      .poll(() => picture.evaluate((node: HTMLImageElement) => node.naturalWidth))
      .toBe(1);
    await files().button("All files").click();
    await files().pick("tool.bin");
    await files().panel.getByText("This file is not text: 4 B.").waitFor();
    const coming = files().page.waitForEvent("download");
    await files().panel.locator(".plate").getByRole("button", { name: "Download" }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe("tool.bin");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  it("[W14] that is a log is read in pages, the newest lines first", async () => {
    const lines = Array.from({ length: 450 }, (_, index) => `{"n":${index + 1}}`);
    await files().workspace.put("own", "x.log.jsonl", `${lines.join("\n")}\n`);
    await files().open();
    await files().pick("x.log.jsonl");
    await files().panel.getByText("Lines 251–450 of 450").waitFor();
    await files().button("Earlier").click();
    await files().panel.getByText("Lines 51–250 of 450").waitFor();
    await files().button("Earlier").click();
    await files().panel.getByText("Lines 1–200 of 450").waitFor();
    expect(await files().button("Earlier").isDisabled()).toBe(true);
    await files().button("Newest").click();
    await files().panel.getByText('{"n":450}').waitFor();
    expect(await files().button("Save").count()).toBe(0);
  });
});
