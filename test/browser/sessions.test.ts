import { describe, expect, it } from "vitest";
import type { FakeSession } from "./fake-session.ts";
import { FakeTurn } from "./fake-turn.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();

const links = () => desk().page.getByRole("navigation").getByRole("link");
const dialog = (name: string) => desk().page.getByRole("dialog", { name });

/** A conversation that was held elsewhere. */
function held(id: string, text: string, at: number): FakeSession {
  const session = desk().server.session(id);
  const turn = new FakeTurn(session, `${id}-turn`, [{ type: "text", text }], null);
  turn.start().step().text(`Answer to ${text}`).endStep().end();
  session.updatedAt = at;
  return session;
}

async function pick(title: string, item: string): Promise<void> {
  await desk().page.getByRole("link", { name: title }).hover();
  await desk()
    .page.getByRole("button", { name: `More for “${title}”` })
    .click();
  await desk().page.getByRole("menuitem", { name: item }).click();
}

describe("the list of conversations", () => {
  it("comes from the server, newest first, page by page, with what waits for the person", async () => {
    desk().server.pageSize = 2;
    for (const [index, name] of ["one", "two", "three", "four", "five"].entries())
      held(name, `Talk ${name}`, 1_000 + index);
    const waiting = desk().server.session("four");
    const turn = new FakeTurn(waiting, "asking", [{ type: "text", text: "more" }], null);
    turn.start().step().call("shell", "{}").endStep().ask().wait();
    waiting.updatedAt = 1_003;
    await desk().open();
    await links().nth(1).waitFor();
    expect(await links().allInnerTexts()).toEqual(["Talk five", "Talk four\nWaits for you"]);
    expect(await desk().page.title()).toBe("(1) Carrel");
    await desk().page.getByRole("button", { name: "Show more" }).click();
    await links().nth(3).waitFor();
    await desk().page.getByRole("button", { name: "Show more" }).click();
    await links().nth(4).waitFor();
    expect((await links().allInnerTexts()).slice(2)).toEqual([
      "Talk three",
      "Talk two",
      "Talk one",
    ]);
    expect(await desk().page.getByRole("button", { name: "Show more" }).isVisible()).toBe(false);
    await links().nth(1).click();
    await desk().page.getByRole("group", { name: "May shell run?" }).waitFor();
    expect(await desk().page.title()).toBe("(1) Talk four · Carrel");
  });

  it("tells of a conversation that begins to wait while another one is open", async () => {
    await desk().open();
    const turn = await desk().begin("Do it");
    await desk().page.getByRole("button", { name: "New conversation" }).click();
    turn.call("shell", "{}").endStep().ask().wait();
    (await desk().begin("Something else")).text("Else.").endStep().end();
    await desk()
      .page.getByRole("link", { name: /Do it\s*Waits for you/ })
      .waitFor();
    expect(await desk().page.title()).toBe("(1) Something else · Carrel");
  });

  it("forgets what was deleted elsewhere", async () => {
    held("kept", "Kept", 2_000);
    held("lost", "Lost", 1_000);
    await desk().open();
    await links().nth(1).waitFor();
    desk().server.delete("lost");
    await desk().page.reload();
    await links().nth(1).waitFor({ state: "detached" });
    expect(await links().allInnerTexts()).toEqual(["Kept"]);
  });
});

describe("a conversation of the list", () => {
  it("is renamed in its place, with the keyboard alone", async () => {
    const session = held("a", "Old name", 1_000);
    await desk().open({}, "#/a");
    await desk().see("Answer to Old name");
    await desk().page.getByRole("button", { name: "More for “Old name”" }).focus();
    await desk().page.keyboard.press("Enter");
    await desk().page.keyboard.press("ArrowDown");
    await desk().page.keyboard.press("ArrowUp");
    await desk().page.keyboard.press("Enter");
    await desk().page.getByRole("textbox", { name: "Title" }).waitFor();
    await desk().page.keyboard.type("Not kept");
    await desk().page.keyboard.press("Escape");
    expect(await links().allInnerTexts()).toEqual(["Old name"]);
    await desk().page.keyboard.press("Enter");
    await desk().page.keyboard.press("Enter");
    await desk().page.keyboard.type("New <b>name</b>");
    await desk().page.keyboard.press("Enter");
    await expect.poll(() => session.title).toBe("New <b>name</b>");
    expect(await links().allInnerTexts()).toEqual(["New <b>name</b>"]);
    await expect.poll(() => desk().page.title()).toBe("New <b>name</b> · Carrel");
    const focused = await desk().page.evaluate(() => document.activeElement?.ariaLabel);
    expect(focused).toBe("More for “New <b>name</b>”");
  });

  it("keeps its name, and says why, when the server refuses another", async () => {
    held("a", "Old name", 1_000);
    await desk().open({}, "#/a");
    await desk().see("Answer to Old name");
    await desk().page.route("**/sessions/a", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.continue(),
    );
    await pick("Old name", "Rename");
    await desk().page.keyboard.type("New name");
    await desk().page.keyboard.press("Enter");
    await desk().page.getByRole("alert").getByText("Carrel cannot be reached.").waitFor();
    expect(await links().allInnerTexts()).toEqual(["Old name"]);
  });

  it("is deleted for good once that is confirmed, and the next one opens", async () => {
    held("a", "Doomed", 2_000);
    held("b", "Next", 1_000);
    await desk().open({}, "#/a");
    await desk().see("Answer to Doomed");
    await pick("Doomed", "Delete");
    await dialog("Delete “Doomed”?").getByRole("button", { name: "Cancel" }).click();
    await pick("Doomed", "Delete");
    await dialog("Delete “Doomed”?").getByRole("button", { name: "Delete" }).click();
    await desk().see("Answer to Next");
    expect(await links().allInnerTexts()).toEqual(["Next"]);
    await desk().page.reload();
    await desk().see("Answer to Next");
    expect(await links().allInnerTexts()).toEqual(["Next"]);
  });

  it("is cleared once that is confirmed, in every tab, and goes on", async () => {
    held("a", "Full", 1_000);
    await desk().open({}, "#/a");
    await desk().see("Answer to Full");
    const other = await desk().page.context().newPage();
    await other.goto(desk().page.url());
    await other.getByText("Answer to Full").waitFor();
    await pick("Full", "Clear the conversation");
    await dialog("Clear “Full”?").getByRole("button", { name: "Clear" }).click();
    await desk().seeNoMore("Answer to Full");
    await other.getByText("Answer to Full").waitFor({ state: "detached" });
    (await desk().begin("Anew")).text("Again.").endStep().end();
    await desk().see("Again.");
    expect(await desk().page.locator(".asked").allInnerTexts()).toEqual(["Anew"]);
  });

  it("is not cleared while a turn goes on", async () => {
    await desk().open();
    await desk().begin("Busy");
    await desk().page.getByRole("link", { name: "Busy" }).hover();
    await desk().page.getByRole("button", { name: "More for “Busy”" }).click();
    const item = desk().page.getByRole("menuitem", { name: /^Clear the conversation/ });
    expect(await item.getAttribute("aria-disabled")).toBe("true");
    expect(await item.innerText()).toContain("A turn goes on");
    await desk().page.keyboard.press("Escape");
    await item.waitFor({ state: "detached" });
  });
});
