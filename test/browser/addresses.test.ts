import { describe, expect, it } from "vitest";
import { FakeTurn } from "./fake-turn.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();

function held(id: string): void {
  const turn = new FakeTurn(
    desk().server.session(id),
    `${id}-turn`,
    [{ type: "text", text: "Earlier" }],
    null,
  );
  turn.start().step().text("An earlier answer.").endStep().end();
}

describe("a link to a conversation", () => {
  it("opens it, and leaves an address that a reload opens again", async () => {
    held("from-a-mail");
    await desk().open({}, "?agent=main&session=from-a-mail");
    await desk().see("An earlier answer.");
    const { search, hash } = new URL(desk().page.url());
    expect([search, hash]).toEqual(["?agent=main", "#/from-a-mail"]);
    await desk().page.reload();
    await desk().see("An earlier answer.");
    await desk().page.getByRole("button", { name: "New conversation" }).click();
    await desk().see("A quiet desk, and someone to think with.");
  });

  it("says so where there is none, and what is written begins one", async () => {
    await desk().open({}, "?session=nobody-knows");
    await desk().page.getByRole("heading", { name: "There is no conversation here" }).waitFor();
    (await desk().begin("Then let us begin")).text("Gladly.").endStep().end();
    await desk().see("Gladly.");
    expect(await desk().page.locator("#gone").isVisible()).toBe(false);
    expect(desk().server.posts[0]?.session).toBe("nobody-knows");
  });

  it.each(["?session=..%2Fother", "?session=%3Cscript%3E", "#/%E0%A4%A"])(
    "that names none says so: %s",
    async (address) => {
      await desk().open({}, address);
      await desk()
        .page.getByRole("heading", { name: "This address leads to no conversation" })
        .waitFor();
      expect(await desk().box.isVisible()).toBe(false);
      await desk().page.getByRole("button", { name: "Begin a new one" }).click();
      await desk().see("A quiet desk, and someone to think with.");
      expect(await desk().box.isVisible()).toBe(true);
    },
  );

  it("with an agent that does not exist says so, and leads to the one that does", async () => {
    await desk().open({}, "?agent=%3Cimg%20src=x%3E&session=a");
    await desk()
      .page.getByRole("heading", { name: "There is no agent “<img src=x>” here" })
      .waitFor();
    await desk().page.getByRole("button", { name: "Go to the main desk" }).click();
    await desk().see("A quiet desk, and someone to think with.");
  });
});

describe("a conversation that was deleted elsewhere", () => {
  const title = "This conversation was deleted";

  it("says so while it is open, shows nothing of it, and takes along what was being written", async () => {
    held("doomed");
    await desk().open({}, "#/doomed");
    await desk().see("An earlier answer.");
    await desk().box.fill("half a thought");
    desk().server.delete("doomed");
    await desk().page.getByRole("heading", { name: title }).waitFor();
    expect(await desk().page.getByText("An earlier answer.").isVisible()).toBe(false);
    expect(await desk().box.isVisible()).toBe(false);
    await desk().page.getByRole("button", { name: "Begin a new one with what you wrote" }).click();
    await expect.poll(() => desk().box.inputValue()).toBe("half a thought");
    await desk().box.press("Enter");
    (await desk().server.nextTurn()).start().step().text("Whole.").endStep().end();
    await desk().see("Whole.");
    expect(desk().server.posts[0]?.session).not.toBe("doomed");
  });

  it("says so when it is opened", async () => {
    held("doomed");
    desk().server.delete("doomed");
    await desk().open({}, "#/doomed");
    await desk().page.getByRole("heading", { name: title }).waitFor();
    await desk().page.getByRole("button", { name: "Begin a new one", exact: true }).click();
    await desk().see("A quiet desk, and someone to think with.");
  });

  it("says so when a message is sent to it", async () => {
    held("doomed");
    await desk().open({}, "#/doomed");
    await desk().see("An earlier answer.");
    await desk().page.route("**/events", (route) => route.abort());
    desk().server.delete("doomed");
    await desk().send("are you there?");
    await desk().page.getByRole("heading", { name: title }).waitFor();
    await desk()
      .page.getByRole("button", { name: "Begin a new one with what you wrote" })
      .waitFor();
  });
});
