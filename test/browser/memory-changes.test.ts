import { describe, expect, it } from "vitest";
import { entry, remembered, run, useMemoryDesk } from "./memory-desk.ts";
import { nothing } from "./served-memory.ts";

const memory = useMemoryDesk();

const without = (id: string) => ({
  ...memory().memory.overview,
  entries: memory().memory.overview.entries.filter((each) => each.id !== id),
});

describe("what is remembered", () => {
  it("[M7] is taken back one by one, and by the run that wrote it", async () => {
    memory().memory.overview = remembered("x");
    await memory().open();
    memory().memory.onChange = () => (memory().memory.overview = without("tea"));
    await memory().button("Undo: Prefers tea to coffee.").click();
    const notice = memory().panel.getByRole("alert");
    await notice.getByText("Taken back: 1 change.").waitFor();
    await memory().item("Prefers tea").waitFor({ state: "detached" });
    memory().memory.undone = {
      restored: 1,
      refused: [{ id: "train", why: "it was changed since" }],
    };
    const runs = [run({ undone: true })];
    memory().memory.onChange = () => (memory().memory.overview = { ...without("x"), runs });
    await memory().panel.getByRole("region", { name: "Last tidy-ups" }).getByText("Undo").click();
    await notice
      .getByText(
        "Taken back: 1 change. “Takes the **train** to work.” was left: it was changed since.",
      )
      .waitFor();
    await memory().panel.getByText("2 kept, 1 added. Taken back.").waitFor();
    expect(await memory().button("Undo").count()).toBe(0);
    expect(memory().memory.asked.map(({ action, body }) => [action, body])).toEqual([
      ["undo", { entry: "tea" }],
      ["undo", { run: "r1" }],
    ]);
    expect(new Set(memory().memory.asked.map(({ key }) => key)).size).toBe(2);
  });

  it("[M7] is forgotten only when the person means it, and the focus stays in the panel", async () => {
    memory().memory.overview = remembered("x");
    memory().memory.forgotten = {
      entries: 2,
      messages: 0,
      paths: ["MEMORY.md", "memory/2031-05-05.md"],
    };
    await memory().open();
    const forget = memory().button("Forget: Prefers tea to coffee.");
    const dialog = memory().dialog("Forget “Prefers tea to coffee.”?");
    await forget.click();
    await dialog.getByText(/cannot be brought back\. What was said .* stays there\./).waitFor();
    await memory().page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(memory().memory.asked).toEqual([]);
    expect(await memory().focused()).toBe("Forget: Prefers tea to coffee.");
    memory().memory.onChange = () => (memory().memory.overview = without("tea"));
    await forget.click();
    await dialog.getByRole("button", { name: "Forget" }).click();
    await memory().panel.getByText("Forgotten: it is gone from 2 files.").waitFor();
    await forget.waitFor({ state: "detached" });
    expect(await memory().focused()).toBe("Memory");
    expect(memory().memory.asked).toMatchObject([{ action: "forget", body: { entries: ["tea"] } }]);
  });

  it("is changed once, however often a request that failed is sent again", async () => {
    memory().memory.overview = { ...nothing, entries: [entry("tea", "Prefers tea.")] };
    memory().memory.refusals.push({ of: "undo", status: 503, code: "busy", message: "Busy." });
    await memory().open();
    await memory().button("Undo: Prefers tea.").click();
    const notice = memory().panel.getByRole("alert");
    await notice.getByText("Busy. (e7)").waitFor();
    await notice.getByRole("button", { name: "Try again" }).click();
    await notice.getByText("Taken back: 1 change.").waitFor();
    const [first, second] = memory().memory.asked;
    expect(second?.key).toBe(first?.key);
    expect(first?.key).toMatch(/^[\da-f-]{36}$/);
  });

  it("that somebody changed first is read anew, and the refusal is told in words", async () => {
    memory().memory.overview = { ...nothing, entries: [entry("tea", "Prefers tea.")] };
    await memory().open();
    await memory().item("Prefers tea.").waitFor();
    const message = "This entry was changed meanwhile.";
    memory().memory.refusals.push({ of: "undo", status: 409, code: "conflict", message });
    memory().memory.overview = { ...nothing, entries: [entry("mint", "Prefers mint tea.")] };
    await memory().button("Undo: Prefers tea.").click();
    await memory().panel.getByRole("alert").getByText(message).waitFor();
    await memory().item("Prefers mint tea.").waitFor();
    memory().memory.undone = {
      restored: 0,
      refused: [{ id: "mint", why: "nothing is known of it before" }],
    };
    await memory().button("Undo: Prefers mint tea.").click();
    await memory()
      .panel.getByText(
        "Nothing was taken back. “Prefers mint tea.” was left: nothing is known of it before.",
      )
      .waitFor();
  });
});
