import { describe, expect, it } from "vitest";
import { xssCorpus } from "../public/xss-corpus.ts";
import { useFilesDesk, WIDE } from "./files-desk.ts";

const files = useFilesDesk();
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

const focused = () =>
  files().page.evaluate(() => {
    const node = document.activeElement;
    return (node?.getAttribute("aria-label") ?? node?.textContent ?? "").trim();
  });

describe("hostile names and contents", () => {
  it("are shown as what they are, and do nothing", async () => {
    const names = xssCorpus
      .map((text) => text.replaceAll(/[\\/\p{Cc}]/gu, "_").slice(0, 80))
      .filter((name) => name.trim() !== "");
    const all = xssCorpus.join("\n\n").replaceAll(/[\0\r]/g, "");
    for (const [index, name] of names.entries())
      await files().workspace.put("own", `bad/${index} ${name}`, all, `user:${name}`);
    await files().workspace.put("own", "<img src=x onerror=alert(1)>.md", all);
    await files().workspace.put("own", "page.html", "<script>alert(1)</script>");
    await files().workspace.put(
      "own",
      "vector.svg",
      "<svg onload=alert(1) xmlns='http://www.w3.org/2000/svg'/>",
    );
    await files().workspace.put("own", "not-a.png", Buffer.from([0, 1, 2]));
    await files().open(WIDE);
    await files().row("bad").click();
    await expect.poll(() => files().row(/^\d+ /).count()).toBe(names.length);
    const hostile = "<img src=x onerror=alert(1)>.md";
    await files().row(hostile).click();
    await files().editor.waitFor();
    expect(await files().editor.inputValue()).toBe(all);
    await files().button("Preview").click();
    await files().panel.locator(".preview").waitFor();
    await files().button("History").click();
    await files().panel.getByRole("button", { name: /^View/ }).click();
    await files().panel.locator(".version-text pre").waitFor();
    await files().button("Delete").click();
    await files().dialog(`Delete “${hostile}”?`).getByRole("button", { name: "Cancel" }).click();
    for (const name of ["page.html", "vector.svg"]) {
      await files().row(name).click();
      await expect.poll(() => files().editor.inputValue()).toMatch(/^<s/);
    }
    await files().row("not-a.png").click();
    await files().panel.getByText("The browser cannot show this picture.").waitFor();
    files().workspace.refusals.push({
      method: "GET",
      status: 400,
      code: "invalid",
      message: hostile,
    });
    await files().button("Read the files again").click();
    await files().panel.getByRole("alert").getByText(hostile).waitFor();
    const found = await files().panel.evaluate((root) => {
      const nodes = [...root.querySelectorAll("*")];
      return {
        strangers: nodes
          .map((node) => node.localName)
          .filter((name) => /script|iframe|object|style/.test(name)),
        handlers: nodes
          .flatMap((node) => node.getAttributeNames())
          .filter((name) => name.startsWith("on")),
      };
    });
    expect(found).toEqual({ strangers: [], handlers: [] });
    expect(files().desk().watched).toMatchObject({ foreign: [], dialogs: [] });
  });
});

describe("the keyboard", () => {
  it("walks the tree with arrows and letters, opens with Enter and filters with the rest", async () => {
    await files().open(WIDE);
    const press = (key: string) => files().page.keyboard.press(key);
    await files().panel.getByRole("searchbox").focus();
    await press("ArrowDown");
    expect(await focused()).toBe("knowledge");
    await press("ArrowRight");
    await press("ArrowRight");
    expect(await focused()).toMatch(/^models\.md/);
    await press("ArrowDown");
    await press("ArrowLeft");
    expect(await focused()).toBe("knowledge");
    await press("ArrowLeft");
    expect(await files().row("models.md").count()).toBe(0);
    await press("End");
    expect(await focused()).toMatch(/^AGENTS\.md/);
    await press("Home");
    await press("n");
    expect(await focused()).toBe("notes");
    await press("Enter");
    await press("ArrowDown");
    await press("ArrowDown");
    expect(await focused()).toMatch(/^mine\.txt/);
    await press("Enter");
    await files().editor.waitFor();
    expect(await focused()).toMatch(/^mine\.txt/);
    expect(await files().row("mine.txt").getAttribute("aria-selected")).toBe("true");
    const tree = files().panel.getByRole("tree", { name: "Files" });
    expect(await tree.locator('[tabindex="0"]').count()).toBe(1);
    const outline = await files()
      .row("mine.txt")
      .evaluate((node) => getComputedStyle(node).outlineStyle);
    expect(outline).not.toBe("none");
  });

  it("indents with Tab, takes it back with undo, and leaves the editor after Escape", async () => {
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    await files().editor.fill("one\ntwo\n");
    await files().editor.press("ControlOrMeta+a");
    await files().editor.press("Tab");
    expect(await files().editor.inputValue()).toBe("  one\n  two\n");
    await files().editor.press("Shift+Tab");
    expect(await files().editor.inputValue()).toBe("one\ntwo\n");
    await files().editor.press("Tab");
    await files().editor.press("ControlOrMeta+z");
    expect(await files().editor.inputValue()).toBe("one\ntwo\n");
    await files().editor.press("Escape");
    await files().page.keyboard.press("Shift+Tab");
    expect(await focused()).toBe("Delete");
  });

  it("gets the focus back where the panel was opened, and out of every question", async () => {
    await files().open(WIDE);
    await files().pick("notes/mine.txt");
    await files().editor.waitFor();
    await files().button("Delete").press("Enter");
    expect(await focused()).toBe("Cancel");
    await files().page.keyboard.press("Escape");
    expect(await focused()).toBe("Delete");
    await files().button("New file").press("Enter");
    await files().page.keyboard.press("Escape");
    expect(await focused()).toBe("New file");
    await files().button("Close the files").press("Enter");
    expect(await focused()).toBe("Files");
  });
});

describe("a narrow screen", () => {
  it("shows the panel over everything, the list first and then a file, without scrolling sideways", async () => {
    await files().workspace.put("own", `${"a_very_long_name_".repeat(8)}.md`, "word".repeat(200));
    await files().open(phone);
    expect(await files().desk().box.isVisible()).toBe(false);
    const width = () => files().page.evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBe(390);
    await files()
      .row(/^a_very/)
      .click();
    await files().editor.waitFor();
    expect(await width()).toBe(390);
    expect(await focused()).toMatch(/^a_very_long/);
    expect(await files().row("AGENTS.md").count()).toBe(0);
    await files().button("All files").click();
    await files().row("AGENTS.md").waitFor();
    expect(await focused()).toMatch(/^a_very_long/);
    await files().button("Close the files").click();
    await files().desk().box.waitFor();
    await files().page.getByRole("button", { name: "Conversations" }).click();
    const rail = files().page.getByRole("navigation", { name: "Conversations" });
    await rail.getByRole("button", { name: "Files" }).click();
    await files().editor.waitFor();
  });
});

describe("a deployment with keys", () => {
  it("asks for the key, and then shows the files", async () => {
    files().desk().server.key = "secret-key";
    await files().desk().open(WIDE);
    await files().workspace.put("own", "mine.txt", "mine\n");
    await files().page.locator("#open-files").click();
    const dialog = files().dialog("This desk needs a key");
    await dialog.getByLabel("API key").fill("secret-key");
    await files().page.keyboard.press("Enter");
    await files().row("mine.txt").waitFor();
  });
});
