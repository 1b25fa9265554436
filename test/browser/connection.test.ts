import { describe, expect, it } from "vitest";
import { useDesk } from "./desk.ts";

const desk = useDesk();

describe("when something fails", () => {
  it("shows in the turn why it failed, and asks again on request", async () => {
    await desk().open();
    const turn = await desk().begin("hello");
    turn
      .text("Half an")
      .end("failed", { code: "unavailable", message: "The provider did not answer." });
    const banner = desk().page.getByRole("group", { name: "Error" });
    await banner.getByText("The provider did not answer.").waitFor();
    await banner.getByText("unavailable").waitFor();
    await desk().see("Half an");
    await banner.getByRole("button", { name: "Try again" }).click();
    (await desk().server.nextTurn()).start().step().text("A whole answer").end();
    await desk().see("A whole answer");
    await desk().seeNoMore("Half an");
  });

  it("[S2] takes back what an abandoned attempt said", async () => {
    await desk().open();
    const turn = await desk().begin("count");
    turn.text("one two thr");
    await desk().see("one two thr");
    turn.reset();
    await desk().seeNoMore("one two thr");
    turn.step().text("one two three").end();
    await desk().see("one two three");
    expect(await desk().answers()).toEqual(["one two three"]);
  });

  it("[T3] hands a message over again with the same key until it is accepted", async () => {
    await desk().open();
    desk().server.failures.push("lost");
    await desk().page.route("**/turns", (route) => route.abort());
    await desk().send("once only");
    await desk().see("Carrel cannot be reached. Trying again…");
    expect(await desk().box.inputValue()).toBe("once only");
    await desk().page.unroute("**/turns");
    (await desk().server.nextTurn()).start().step().text("heard").end();
    await desk().see("heard");
    await desk().page.waitForFunction(
      () => (document.querySelector("#message") as HTMLTextAreaElement).value === "",
    );
    // Accepted, its answer lost, and sent again: by the browser itself or by the desk().page.
    expect(desk().server.posts.length).toBeGreaterThan(1);
    expect(new Set(desk().server.posts.map((post) => post.key)).size).toBe(1);
    expect(await desk().page.locator(".turn").count()).toBe(1);
  });

  it("leaves a refused message where it was written, with the reason", async () => {
    await desk().open();
    desk().server.failures.push({
      status: 413,
      code: "too_large",
      message: "The message is larger than 1 MiB.",
    });
    await desk().send("too much");
    await desk().page.getByRole("alert").getByText("The message is larger than 1 MiB.").waitFor();
    expect(await desk().box.inputValue()).toBe("too much");
    await desk().send("less");
    expect((await desk().server.nextTurn()).content).toEqual([{ type: "text", text: "less" }]);
    expect(desk().server.posts[1]?.key).not.toBe(desk().server.posts[0]?.key);
    await desk().page.getByRole("alert").waitFor({ state: "hidden" });
  });

  it("[T9] stops the running turn and keeps what was said", async () => {
    await desk().open();
    (await desk().begin("a long one")).text("Once upon a");
    await desk().see("Once upon a");
    await desk().page.getByRole("button", { name: "Stop" }).click();
    await desk().see("Stopped.");
    expect(await desk().answers()).toEqual(["Once upon a"]);
    expect(await desk().page.getByRole("button", { name: "Stop" }).isVisible()).toBe(false);
  });
});

describe("a connection that breaks", () => {
  it("[S1] goes on in the middle of a step, without gap or repeat", async () => {
    await desk().open();
    const turn = await desk().begin("go on");
    turn.text("alpha ");
    await desk().see("alpha");
    desk().server.cutTails();
    turn.text("beta ");
    await desk().see("alpha beta");
    turn.text("gamma").end();
    await desk().see("alpha beta gamma");
    expect(await desk().answers()).toEqual(["alpha beta gamma"]);
    expect(desk().server.tails.at(-1)?.after).not.toBe(desk().server.tails[0]?.after);
  });

  it("[S5] shows a reloaded page the whole unfinished answer and goes on", async () => {
    await desk().open();
    (await desk().begin("earlier")).text("An earlier answer.").endStep().end();
    const turn = await desk().begin("reload me");
    turn
      .call("grep", '{"for":"x"}')
      .endStep()
      .result("success", "found")
      .step()
      .text("The first half");
    await desk().see("The first half");
    await desk().page.reload();
    await desk().see("The first half");
    turn.text(" and the second.").endStep().end();
    await desk().see("The first half and the second.");
    expect(await desk().page.locator(".asked").allInnerTexts()).toEqual(["earlier", "reload me"]);
    expect(await desk().page.locator(".answer .prose").allInnerTexts()).toEqual([
      "An earlier answer.",
      "The first half and the second.",
    ]);
    expect(await desk().page.locator(".tool").count()).toBe(1);
    expect(desk().server.tails.at(-1)?.after).toBe("3.0");
  });

  it("shows an unfinished answer also to a browser that never saw the session", async () => {
    await desk().open();
    const turn = await desk().begin("elsewhere");
    turn.text("Begun");
    await desk().see("Begun");
    const path = new URL(desk().page.url()).hash;
    await desk().page.context().close();
    await desk().open({}, path);
    await desk().see("Begun");
    turn.text(" and done.").end();
    await desk().see("Begun and done.");
    expect(await desk().page.getByRole("navigation").getByRole("link").allInnerTexts()).toEqual([
      "elsewhere",
    ]);
  });

  it("keeps a message that was not accepted through a reload, and drops one that was", async () => {
    await desk().open();
    desk().server.failures.push({ status: 400, code: "invalid", message: "Not like this." });
    await desk().send("keep me");
    await desk().see("Not like this.");
    await desk().page.reload();
    expect(await desk().box.inputValue()).toBe("keep me");
    await desk().box.press("Enter");
    (await desk().server.nextTurn()).start().step().text("kept").end();
    await desk().see("kept");
    expect(desk().server.posts[1]?.key).toBe(desk().server.posts[0]?.key);
    await desk().page.reload();
    await desk().see("kept");
    expect(await desk().box.inputValue()).toBe("");
  });

  it("drops a message after a reload also while its turn waits, its acceptance unheard of", async () => {
    await desk().open();
    const first = await desk().begin("first");
    await desk().page.route("**/turns", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await desk().send("second");
    const second = await desk().server.nextTurn();
    await desk().see("Trying again…");
    await desk().page.reload();
    await desk().page.getByRole("button", { name: "Stop" }).waitFor();
    await desk().page.waitForFunction(
      () => (document.querySelector("#message") as HTMLTextAreaElement).value === "",
    );
    first.end();
    second.start().step().text("Both heard.").end();
    await desk().see("Both heard.");
  });

  it("says that it reconnects", async () => {
    await desk().open();
    (await desk().begin("hello")).text("still here");
    await desk().see("still here");
    await desk().page.route("**/events", (route) => route.abort());
    desk().server.cutTails();
    await desk().page.getByText("Reconnecting…").waitFor();
    await desk().page.unroute("**/events");
    await desk().page.getByText("Reconnecting…").waitFor({ state: "detached" });
  });
});
