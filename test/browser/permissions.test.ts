import { describe, expect, it } from "vitest";
import { beginAsking } from "./approval-desk.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();

const mode = () => desk().page.getByRole("combobox", { name: "How much the agent may do" });
const dialog = (name: string) => desk().page.getByRole("dialog", { name });

async function talk(): Promise<string> {
  (await desk().begin("hello")).text("Hello.").endStep().end();
  await desk().see("Hello.");
  return desk().server.posts[0]?.session ?? "";
}

describe("the mode of a conversation", () => {
  it("is said in plain words, with what each means", async () => {
    await desk().open();
    await talk();
    await expect.poll(() => mode().inputValue()).toBe("DEFAULT");
    expect(await mode().locator("option:not([hidden])").allTextContents()).toEqual([
      "Default: asks before anything outside the workspace",
      "Accept edits: changes of files run without asking",
      "Explore (read only): only what reads runs",
      "Bypass: asks only before what is dangerous",
      "Never ask: denies whatever it would ask",
    ]);
  });

  it("is changed for the session, also in another tab, and after a reload", async () => {
    await desk().open();
    const session = await talk();
    const other = await desk().page.context().newPage();
    await other.goto(desk().page.url());
    await other.getByText("Hello.").waitFor();
    await mode().selectOption("EXPLORE");
    await expect.poll(() => desk().server.session(session).permissions.mode).toBe("EXPLORE");
    await other.locator("#mode-name", { hasText: "Explore (read only)" }).waitFor();
    await desk().page.reload();
    await desk().page.locator("#mode-name", { hasText: "Explore (read only)" }).waitFor();
  });

  it("goes back, and says why, when the server refuses", async () => {
    desk().server.modes = ["DEFAULT", "EXPLORE"];
    await desk().open();
    await talk();
    await desk().page.route("**/permissions", (route) => route.abort());
    await mode().selectOption("DONT_ASK");
    await desk()
      .page.getByRole("alert")
      .getByText("The operator does not offer this mode.")
      .waitFor();
    await expect.poll(() => mode().inputValue()).toBe("DEFAULT");
  });

  it("offers only what the operator offers, once that is known", async () => {
    desk().server.modes = ["DEFAULT", "EXPLORE"];
    await desk().open();
    await talk();
    await mode().focus();
    await expect
      .poll(() => mode().locator("option:not([disabled])").allTextContents())
      .toHaveLength(2);
  });

  it("is not changed by mistake where that lets everything run", async () => {
    await desk().open();
    const session = await talk();
    await mode().selectOption("BYPASS");
    await dialog("Change to “Bypass”?").getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => mode().inputValue()).toBe("DEFAULT");
    expect(desk().server.session(session).permissions.mode).toBe("DEFAULT");
    await mode().selectOption("BYPASS");
    await dialog("Change to “Bypass”?").getByRole("button", { name: "Change" }).click();
    await expect.poll(() => desk().server.session(session).permissions.mode).toBe("BYPASS");
    expect(await desk().page.evaluate(() => document.activeElement?.id)).toBe("mode");
  });

  it("is asked about while calls wait, which it decides", async () => {
    await desk().open();
    await beginAsking(desk());
    await mode().selectOption("ACCEPT_EDITS");
    const question = dialog("Change to “Accept edits”?");
    await question.getByText("The call that waits for you will be decided").waitFor();
    await desk().page.keyboard.press("Escape");
    await expect.poll(() => mode().inputValue()).toBe("DEFAULT");
  });

  it("can be chosen before the conversation begins, which then begins in it", async () => {
    await desk().open();
    await mode().selectOption("EXPLORE");
    await desk().send("look around");
    const turn = await desk().server.nextTurn();
    const session = desk().server.posts[0]?.session ?? "";
    expect(desk().server.session(session).permissions.mode).toBe("EXPLORE");
    turn.start().step().text("Looked.").endStep().end();
    await desk().see("Looked.");
    expect(await mode().inputValue()).toBe("EXPLORE");
  });
});

describe("the rules of a conversation", () => {
  it("are listed in words; the person's own can be removed, the operator's cannot", async () => {
    desk().server.rules = { allow: [], ask: [], deny: [{ tool: "shell", command: "rm" }] };
    await desk().open();
    const session = desk().server.session(await talk());
    session.change({
      allow: [{ tool: "fetch", origin: "https://api.example.com" }, { tool: "mail" }],
      ask: [{ tool: "write_*", path: "notes/**" }],
    });
    await desk().page.getByRole("button", { name: "Rules" }).click();
    const rules = dialog("Rules of this conversation");
    await rules.getByText("every call of “mail”").waitFor();
    expect(await rules.getByRole("listitem").allInnerTexts()).toEqual([
      "“fetch” for addresses at https://api.example.com",
      "every call of “mail”",
      "“write_*” on paths like “notes/**”",
      "“shell” for commands that begin with “rm”",
    ]);
    expect(await rules.getByRole("button", { name: /^Remove/ }).count()).toBe(3);
    // One that came since the list was read stays.
    session.change({ allow: [...session.permissions.allow, { tool: "late" }] });
    await rules.getByRole("button", { name: "Remove the rule: every call of “mail”" }).click();
    await rules.getByText("every call of “late”").waitFor();
    expect(session.permissions.allow.map(({ tool }) => tool)).toEqual(["fetch", "late"]);
    await desk().page.keyboard.press("Escape");
    await rules.waitFor({ state: "detached" });
    expect(await desk().page.evaluate(() => document.activeElement?.id)).toBe("rules");
  });

  it("says why they cannot be read", async () => {
    await desk().open();
    await talk();
    await desk().page.route("**/permissions", (route) => route.abort());
    await desk().page.getByRole("button", { name: "Rules" }).click();
    await dialog("Rules of this conversation").getByText("Carrel cannot be reached.").waitFor();
  });
});
