import { describe, expect, it } from "vitest";
import { anyZone, useDesk } from "./desk.ts";

const desk = useDesk();

describe("a conversation", () => {
  it("shows an answer as it comes, and what it is made of", async () => {
    await desk().open();
    const turn = await desk().begin("What is a carrel?");
    turn.reasoning("Let me **think**.").text("A **small ");
    await desk().see("A **small");
    turn.text("desk**.\n\n```js\nlet a = 1;\n```\n");
    await desk().page.locator(".answer strong", { hasText: "small desk" }).waitFor();
    expect(await desk().page.getByRole("button", { name: "Stop" }).isVisible()).toBe(true);
    turn.endStep().end();
    await desk().page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await desk().page.locator(".asked").innerText()).toBe("What is a carrel?");
    expect(await desk().page.locator("pre code").innerText()).toBe("let a = 1;");
    expect(
      await desk()
        .page.locator("details.reasoning")
        .evaluate((node) => (node as HTMLDetailsElement).open),
    ).toBe(false);
    expect(await desk().page.getByRole("button", { name: "Stop" }).isVisible()).toBe(false);
    expect(await desk().page.title()).toBe("What is a carrel? · Carrel");
    expect(await desk().box.inputValue()).toBe("");
    expect(desk().watched.errors).toEqual([]);
  });

  it("sends the message once, as JSON under a key of its own, from its own origin", async () => {
    await desk().open();
    (await desk().begin("one")).end();
    (await desk().begin("two\nlines")).end();
    const [first, second] = desk().server.posts;
    expect(JSON.parse(first?.body ?? "")).toEqual({ message: "one", timeZone: anyZone });
    expect(JSON.parse(second?.body ?? "")).toEqual({ message: "two\nlines", timeZone: anyZone });
    expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.key).not.toBe(first?.key);
    expect(second?.session).toBe(first?.session);
    expect(`${first?.origin}/`).toBe(desk().server.url);
  });

  it("makes a new line with Shift and Enter", async () => {
    await desk().open();
    await desk().box.pressSequentially("a");
    await desk().box.press("Shift+Enter");
    await desk().box.pressSequentially("b");
    expect(await desk().box.inputValue()).toBe("a\nb");
    expect(desk().server.posts).toEqual([]);
  });

  it("asks an example with one click", async () => {
    await desk().open();
    await desk().see("A quiet desk, and someone to think with.");
    await desk().page.locator("#examples button").first().click();
    (await desk().server.nextTurn()).start().step().text("Plenty.").end();
    await desk().see("Plenty.");
    expect(await desk().page.locator("#welcome").isVisible()).toBe(false);
  });

  it("shows a tool call with its arguments, and its result folded", async () => {
    await desk().open();
    const turn = await desk().begin("read it");
    turn
      .call("read_file", '{"path":"a.md","options":{"limit":40,"offset":1200,"encoding":"utf-8"}}')
      .endStep();
    const card = desk().page.locator(".tool");
    await card.getByText("running").waitFor();
    turn.result("success", "<b>the file</b>");
    await card.getByText("done").waitFor();
    expect(await card.locator(".name").innerText()).toBe("read_file");
    expect(await card.locator(".input").innerText()).toContain('"options": {\n    "limit": 40');
    expect(await card.getByText("<b>the file</b>").isVisible()).toBe(false);
    await card.getByText("Result").click();
    expect(await card.getByText("<b>the file</b>").isVisible()).toBe(true);
    turn.step().text("Read.").end();
    await desk().see("Read.");
  });

  it("keeps a message that comes while a turn runs behind it", async () => {
    await desk().open();
    const first = await desk().begin("first");
    first.text("one");
    await desk().send("second");
    await desk().see("Queued");
    first.end();
    (await desk().server.nextTurn()).start().step().text("two").end();
    await desk().see("two");
    expect(await desk().answers()).toEqual(["one", "two"]);
  });

  it("gives the newest answer anew", async () => {
    await desk().open();
    (await desk().begin("roll")).text("four").end();
    await desk().page.getByRole("button", { name: "Regenerate" }).click();
    (await desk().server.nextTurn()).start().step().text("five").end();
    await desk().see("five");
    expect(await desk().answers()).toEqual(["five"]);
    expect(JSON.parse(desk().server.posts[1]?.body ?? "")).toEqual({
      regenerate: true,
      timeZone: anyZone,
    });
  });
});

describe("conversations", () => {
  it("take what is typed from the moment they are begun", async () => {
    await desk().open();
    await desk().begin("First");
    await desk().page.evaluate(() => {
      document.getElementById("new")?.click();
      const box = document.querySelector("textarea");
      if (!box) throw new Error("There is no box to write in.");
      box.value = "Second";
      box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    });
    const second = await desk().server.nextTurn();
    expect(second.content).toEqual([{ type: "text", text: "Second" }]);
    second.start().step().text("Alone.").endStep().end();
    await desk().see("Alone.");
    expect(await desk().answers()).toEqual(["Alone."]);
  });

  it("are listed by their first message, newest first, and open again", async () => {
    await desk().open();
    (await desk().begin("The first conversation")).text("answer one").endStep().end();
    await desk().see("answer one");
    await desk().page.getByRole("button", { name: "New conversation" }).click();
    await desk().see("A quiet desk, and someone to think with.");
    (await desk().begin("The second conversation")).text("answer two").endStep().end();
    await desk().see("answer two");
    const links = desk().page.getByRole("navigation").getByRole("link");
    expect(await links.allInnerTexts()).toEqual([
      "The second conversation",
      "The first conversation",
    ]);
    await links.nth(1).click();
    await desk().see("answer one");
    expect(await desk().page.getByText("answer two").count()).toBe(0);
    await desk().page.goBack();
    await desk().see("answer two");
  });

  it("show older turns on request, in their order", async () => {
    await desk().open();
    (await desk().begin("0")).text("answer 0").endStep().end();
    for (let number = 1; number < 20; number++) {
      await desk().see(`answer ${number - 1}`);
      (await desk().begin(String(number))).text(`answer ${number}`).endStep().end();
    }
    await desk().see("answer 19");
    await desk().page.reload();
    await desk().see("answer 19");
    expect(await desk().page.locator(".turn").count()).toBe(15);
    await desk().page.getByRole("button", { name: "Show earlier turns" }).click();
    await desk().see("answer 0");
    const shown = await desk().page.locator(".asked").allInnerTexts();
    expect(shown).toEqual(Array.from({ length: 20 }, (_, number) => String(number)));
    expect(await desk().page.getByRole("button", { name: "Show earlier turns" }).isVisible()).toBe(
      false,
    );
  });
});
