import { describe, expect, it } from "vitest";
import { beginAsking, button, cardOf } from "./approval-desk.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();
const suggested = [{ tool: "shell", command: "git push" }, { tool: "shell" }] as const;

const decided = () => desk().server.decisions.map(({ body }) => body);

describe("a call that asks", () => {
  it("shows what would run, why it is asked, until when, and that the turn waits", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    const card = cardOf(desk());
    expect(await card.innerText()).toContain("shell acts outside the workspace.");
    const until = await card.locator("time").getAttribute("datetime");
    expect(until).toBe(new Date(turn.pending[0]?.expiresAt ?? 0).toISOString());
    const tool = desk().page.locator(".tool");
    expect(await tool.locator(".name").innerText()).toBe("shell");
    expect(await tool.locator(".input").innerText()).toBe(
      '{ "command": "git push", "branch": "main" }',
    );
    expect(await tool.locator(".status").innerText()).toBe("waits for you");
    expect(await desk().page.locator(".working").innerText()).toBe("Waits for you");
    expect(await desk().page.title()).toBe("(1) Push it · Carrel");
    expect(await desk().page.locator("#announcer").innerText()).toBe(
      "Your agent asks: may shell run?",
    );
    await desk().see("Sending denies what waits for you");
    expect(desk().watched.errors).toEqual([]);
  });

  it("runs when it is approved, and says so", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await button(desk(), "Approve").click();
    await desk().see("Approved by you.");
    expect(decided()).toEqual([{ decision: "approve", digest: expect.any(String) }]);
    expect(await cardOf(desk()).isVisible()).toBe(false);
    turn.result("success", "pushed").step().text("Done.").endStep().end();
    await desk().see("Done.");
    expect(await desk().page.title()).toBe("Push it · Carrel");
  });

  it("does not run when it is denied, with the reason if there is one", async () => {
    await desk().open();
    await beginAsking(desk());
    await button(desk(), "Deny with a reason").click();
    await desk().page.keyboard.type("not on a Friday");
    await desk().page.keyboard.press("Enter");
    await desk().see("Denied by you: not on a Friday");
    expect(decided()).toEqual([
      { decision: "deny", digest: expect.any(String), reason: "not on a Friday" },
    ]);
    expect(await desk().page.locator(".tool .status").innerText()).toBe("denied");
  });

  it("runs with other arguments, once they are an object in JSON", async () => {
    await desk().open();
    await beginAsking(desk());
    await button(desk(), "Change arguments").click();
    const text = cardOf(desk()).getByRole("textbox", { name: "Arguments, as JSON" });
    expect(JSON.parse(await text.inputValue())).toEqual({ command: "git push", branch: "main" });
    await text.fill('["no object"]');
    await cardOf(desk()).getByText("The arguments must be an object").waitFor();
    await text.fill('{"command": ');
    await cardOf(desk()).getByText("This is no JSON").waitFor();
    await button(desk(), "Approve with changes").click({ force: true });
    expect(decided()).toEqual([]);
    await text.fill('{"command":"git push","branch":"try"}');
    await button(desk(), "Approve with changes").click();
    await desk().see("Approved by you, with changed arguments.");
    expect(decided()).toEqual([
      {
        decision: "approve",
        digest: expect.any(String),
        input: { command: "git push", branch: "try" },
      },
    ]);
    expect(await desk().page.locator(".tool .input").innerText()).toContain('"branch": "try"');
  });

  it("can be allowed for good by a rule that the server suggests, told in words", async () => {
    await desk().open();
    const turn = await beginAsking(desk(), { suggested });
    await cardOf(desk())
      .getByRole("checkbox", { name: "“shell” for commands that begin with “git push”" })
      .check();
    await button(desk(), "Approve and always allow").click();
    await desk().see("Approved by you.");
    expect(decided()).toMatchObject([{ decision: "approve", always: [suggested[0]] }]);
    expect(turn.state).toBe("running");
  });

  it("is decided once, however often and fast a button is pressed", async () => {
    await desk().open();
    await beginAsking(desk());
    await button(desk(), "Approve").dblclick();
    await desk().see("Approved by you.");
    expect(decided()).toHaveLength(1);
  });

  it("says that it is on its way, keeps the focus, and can be pressed again after a failure", async () => {
    await desk().open();
    await beginAsking(desk());
    const { promise: isHeld, resolve: release } = Promise.withResolvers<void>();
    await desk().page.route("**/calls/*", async (route) => {
      await isHeld;
      await route.abort();
    });
    await button(desk(), "Approve").click();
    await cardOf(desk()).getByText("Approving…").waitFor();
    expect(await button(desk(), "Deny").getAttribute("aria-disabled")).toBe("true");
    release();
    await cardOf(desk()).getByText("Carrel cannot be reached.").waitFor();
    expect(await desk().page.evaluate(() => document.activeElement?.textContent)).toBe("Approve");
    await desk().page.unroute("**/calls/*");
    await button(desk(), "Approve").click();
    await desk().see("Approved by you.");
  });

  it("tells what counts when somebody else was faster", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await desk().page.route("**/events", (route) => route.abort());
    desk().server.cutTails();
    turn.answer(turn.pending[0]?.call ?? "", "denied", "user:local", { reason: "no" });
    await button(desk(), "Approve").click();
    await desk().see("Denied by you: no (answered elsewhere first)");
    expect(await cardOf(desk()).isVisible()).toBe(false);
  });

  it("is asked anew when what it would do has changed since", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await desk().page.route("**/events", (route) => route.abort());
    desk().server.cutTails();
    turn.ask({ input: '{"command":"git push --force"}', reason: "It was changed." });
    await button(desk(), "Approve").click();
    await cardOf(desk()).getByText("It was changed.").waitFor();
    await cardOf(desk()).getByText("has changed since it was asked").waitFor();
    expect(await desk().page.locator(".tool .input").innerText()).toContain("--force");
    await button(desk(), "Approve").click();
    await desk().see("Approved by you.");
    expect(decided().map(({ digest }) => digest)).toEqual([
      expect.stringMatching(/ 1$/),
      expect.stringMatching(/ 2$/),
    ]);
  });

  it("says when nobody answered in time", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    turn.answer(turn.pending[0]?.call ?? "", "expired", "session");
    await desk().see("Expired: nobody answered in time, so it did not run.");
    expect(await cardOf(desk()).isVisible()).toBe(false);
  });
});
