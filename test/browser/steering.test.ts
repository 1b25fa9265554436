import { describe, expect, it } from "vitest";
import { beginAsking, cardOf } from "./approval-desk.ts";
import { anyZone, useDesk } from "./desk.ts";

const desk = useDesk();

const bodies = () => desk().server.posts.map(({ body }) => JSON.parse(body) as unknown);
const choices = () => desk().page.getByRole("radio");
const choose = (name: string) => desk().page.getByRole("radio", { name }).check({ force: true });

describe("a message while a turn runs", () => {
  it("waits in line by default, and is seen to wait, here and after a reload", async () => {
    await desk().open();
    const first = await desk().begin("first");
    expect(await choices().first().isVisible()).toBe(false);
    await desk().box.fill("second");
    expect(await desk().page.getByRole("radio", { name: "Queue" }).isChecked()).toBe(true);
    await desk().see("Answered when this turn has ended.");
    await desk().box.press("Enter");
    const second = await desk().server.nextTurn();
    await desk().page.locator(".turn", { hasText: "second" }).getByText("Queued").waitFor();
    await desk().page.reload();
    await desk().see("A message waits in line");
    first.text("one").endStep().end();
    second.start().step().text("two").endStep().end();
    await desk().see("two");
    expect(await desk().page.locator(".asked").allInnerTexts()).toEqual(["first", "second"]);
    expect(bodies()).toEqual([
      { message: "first", timeZone: anyZone },
      { message: "second", timeZone: anyZone },
    ]);
  });

  it("is taken in at the next step where it is steered, and shown there", async () => {
    await desk().open();
    const turn = await desk().begin("Write a poem");
    turn.text("Roses are red.");
    await desk().box.fill("No flowers");
    await choose("Steer");
    await desk().see("Taken into this turn before its next step.");
    await desk().box.press("Enter");
    const message = await desk().server.nextTurn();
    await desk().see("Will be taken in at the next step");
    turn.endStep().steer(message).step().text("Stones are grey.").endStep().end();
    await desk().see("Stones are grey.");
    expect(bodies()[1]).toEqual({ message: "No flowers", whenBusy: "steer", timeZone: anyZone });
    const shown = () =>
      desk()
        .page.locator(".turn")
        .evaluateAll((turns) =>
          turns.map((each) =>
            [...each.querySelectorAll(".asked, .answer .prose, .steered")].map((node) =>
              (node as HTMLElement).innerText.replaceAll(/\n+/g, "\n"),
            ),
          ),
        );
    const expected = [
      ["Write a poem", "Roses are red.", "You, meanwhile:\nNo flowers", "Stones are grey."],
    ];
    expect(await shown()).toEqual(expected);
    await desk().page.reload();
    await desk().see("Stones are grey.");
    expect(await shown()).toEqual(expected);
  });

  it("replaces the turn where that is chosen, with the keyboard alone, and only this once", async () => {
    await desk().open();
    const turn = await desk().begin("Count to a million");
    turn.text("one, two");
    await desk().box.fill("Count to three");
    await desk().see("Answered when this turn has ended.");
    await desk().page.keyboard.press("Tab");
    await desk().page.keyboard.press("ArrowRight");
    await desk().page.keyboard.press("ArrowRight");
    await desk().see("Stops this turn and is answered instead.");
    await desk().page.keyboard.press("Shift+Tab");
    await desk().page.keyboard.press("Enter");
    const next = await desk().server.nextTurn();
    turn.end("stopped");
    next.start().step().text("one, two, three");
    await desk().see("one, two, three");
    expect(bodies()[1]).toEqual({
      message: "Count to three",
      whenBusy: "replace",
      timeZone: anyZone,
    });
    await desk().box.fill("And now?");
    expect(await desk().page.getByRole("radio", { name: "Queue" }).isChecked()).toBe(true);
  });

  it("that the server takes no more of is kept, explained, and handed over again", async () => {
    await desk().open();
    desk().server.failures.push({
      status: 429,
      code: "too_many",
      message: "Ten messages wait already.",
    });
    await desk().send("one more");
    await desk().see(/Ten messages wait already\..*what you wrote is kept\. Trying again…/);
    (await desk().server.nextTurn()).start().step().text("There you are.").end();
    await desk().see("There you are.");
    expect(new Set(desk().server.posts.map(({ key }) => key)).size).toBe(1);
  });
});

describe("[A8] a message while a turn waits for the person", () => {
  it("is said to deny what waits, and is answered", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await desk().see("Sending denies what waits for you, ends that turn");
    await desk().send("Leave it");
    const next = await desk().server.nextTurn();
    turn.answer(turn.pending[0]?.call ?? "", "denied", "session").end("stopped");
    next.start().step().text("Left.").endStep().end();
    await desk().see("Left.");
    expect(await cardOf(desk()).isVisible()).toBe(false);
    expect(await desk().page.locator(".verdict").innerText()).toBe("Denied.");
    expect(await desk().page.locator("#when-busy-hint").isVisible()).toBe(false);
  });

  it("goes into that turn where it is steered", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await desk().box.fill("Push to the other branch");
    await choose("Steer");
    await desk().see("Sending denies what waits for you, and the turn goes on with your message.");
    await desk().box.press("Enter");
    const message = await desk().server.nextTurn();
    turn.answer(turn.pending[0]?.call ?? "", "denied", "session").steer(message);
    turn.step().text("The other one, then.").endStep().end();
    await desk().see("The other one, then.");
    expect(await desk().page.locator(".turn").count()).toBe(1);
    expect(bodies()[1]).toEqual({
      message: "Push to the other branch",
      whenBusy: "steer",
      timeZone: anyZone,
    });
  });
});
