import { describe, expect, it } from "vitest";
import { xssCorpus } from "../public/xss-corpus.ts";
import { beginAsking, button, cardOf } from "./approval-desk.ts";
import { useDesk } from "./desk.ts";

const desk = useDesk();

describe("[S5] a question", () => {
  it("is there again after a reload, and in a browser that never saw it", async () => {
    await desk().open();
    const turn = await beginAsking(desk());
    await desk().page.reload();
    await cardOf(desk()).waitFor();
    expect(await desk().page.locator(".working").innerText()).toBe("Waits for you");
    const place = new URL(desk().page.url()).hash;
    await desk().page.context().close();
    await desk().open({}, place);
    await button(desk(), "Approve").click();
    await desk().see("Approved by you.");
    turn.result("success", "pushed").step().text("Pushed.").endStep().end();
    await desk().see("Pushed.");
    await desk().page.reload();
    await desk().see("Pushed.");
    await desk().see("Approved by you.");
  });

  it("that is answered in one tab is answered in the other", async () => {
    await desk().open();
    await beginAsking(desk());
    const other = await desk().page.context().newPage();
    await other.goto(desk().page.url());
    const there = other.getByRole("group", { name: "May shell run?" });
    await there.waitFor();
    await button(desk(), "Deny").click();
    await other.getByText("Denied by you.").waitFor();
    expect(await there.isVisible()).toBe(false);
    expect(await other.title()).toBe("Push it · Carrel");
  });
});

describe("several questions", () => {
  it("are counted, the first is in sight, and the keyboard goes from one to the next", async () => {
    await desk().open();
    const turn = await desk().begin("Do it all");
    turn.text("A long preface.\n\n".repeat(60));
    for (const tool of ["first_tool", "second_tool"]) turn.call(tool, '{"n":1}').ask();
    turn.endStep().wait();
    await cardOf(desk(), "second_tool").waitFor();
    expect(await desk().page.title()).toBe("(2) Do it all · Carrel");
    await expect
      .poll(() =>
        cardOf(desk(), "first_tool").evaluate((card) => {
          const { top } = card.getBoundingClientRect();
          return top > 0 && top < innerHeight / 2;
        }),
      )
      .toBe(true);
    await cardOf(desk(), "first_tool").getByRole("button", { name: "Approve" }).focus();
    await desk().page.keyboard.press("Enter");
    await desk().see("Approved by you.");
    const focused = () =>
      desk().page.evaluate(() => {
        const card = document.activeElement?.closest("[role=group]");
        return [card?.getAttribute("aria-label"), document.activeElement?.textContent];
      });
    await expect.poll(focused).toEqual(["May second_tool run?", "Approve"]);
    await desk().page.keyboard.press("Tab");
    await desk().page.keyboard.press("Space");
    await desk().see("Denied by you.");
    expect(await desk().page.evaluate(() => document.activeElement?.className)).toBe("verdict");
  });

  it("leave a person alone who reads further up", async () => {
    await desk().open();
    const turn = await desk().begin("Do it");
    turn.text("A long preface.\n\n".repeat(80));
    await desk().page.getByText("A long preface.").last().waitFor();
    const scroller = desk().page.locator("#scroller");
    await scroller.hover();
    await desk().page.mouse.wheel(0, -600);
    const place = () => scroller.evaluate((node) => node.scrollTop);
    await desk().page.getByRole("button", { name: "Jump to the latest" }).waitFor();
    const before = await place();
    turn.call("shell", "{}").endStep().ask().wait();
    await desk().page.locator(".working", { hasText: "Waits for you" }).waitFor();
    expect(await place()).toBe(before);
    await desk().page.getByRole("button", { name: "Jump to the latest" }).click();
    await expect.poll(place).toBeGreaterThan(before);
  });
});

describe("a call of a tool that an app runs", () => {
  it("waits for the app, with nothing to press", async () => {
    await desk().open();
    const turn = await desk().begin("Where am I?");
    turn.call("locate", "{}").endStep().ask({ what: "client" }).wait();
    await desk().see("Waits for the app that runs this tool.");
    expect(await desk().page.locator(".working").innerText()).toBe(
      "Waits for the app that runs this tool",
    );
    expect(await desk().page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(await desk().page.title()).toBe("Where am I? · Carrel");
    turn.answer(turn.pending[0]?.call ?? "", "result", "user:local");
    await desk().see("Run by the app.");
  });
});

describe("hostile text in a question", () => {
  it("is text and nothing else, and hides nothing", async () => {
    await desk().open();
    const all = xssCorpus.join("\n");
    const turn = await desk().begin("go");
    turn
      .call(xssCorpus[2] ?? "", JSON.stringify({ path: "safe\u202egnp.exe", all }))
      .endStep()
      .ask({
        reason: all,
        suggested: xssCorpus.slice(0, 12).map((tool) => ({ tool, command: tool })),
      })
      .wait();
    await desk().page.locator(".approval:not([hidden])").waitFor();
    await desk()
      .page.getByRole("button", { name: /^Show all/ })
      .click();
    await desk().page.getByRole("button", { name: "Change arguments" }).click();
    const found = await desk()
      .page.locator(".tool")
      .evaluate((root) => {
        const nodes = [...root.querySelectorAll("*")];
        return {
          tags: [...new Set(nodes.map((node) => node.localName))].toSorted(),
          handlers: nodes.flatMap((node) =>
            node.getAttributeNames().filter((name) => /^on|^style$|^id$|^src$/.test(name)),
          ),
          shown: root.querySelector("pre.input")?.textContent ?? "",
        };
      });
    expect(found.handlers).toEqual([]);
    expect(found.tags).toEqual(
      "button code details div fieldset input label legend p pre span textarea time"
        .split(" ")
        .toSorted(),
    );
    expect(found.shown).toContain('"safe\\u202egnp.exe"');
    expect(desk().watched).toMatchObject({ foreign: [], dialogs: [], errors: [] });
  });
});

describe("a question on a phone, in the dark", () => {
  it("needs no scrolling sideways, and its buttons are large enough for a thumb", async () => {
    await desk().open({
      viewport: { width: 360, height: 700 },
      hasTouch: true,
      isMobile: true,
      colorScheme: "dark",
    });
    await beginAsking(desk(), {
      reason: "A_very_long_reason_".repeat(20),
      suggested: [{ tool: "shell", command: "x".repeat(200) }],
    });
    await button(desk(), "Change arguments").click();
    const width = await desk().page.evaluate(() => {
      const scroller = document.getElementById("scroller");
      return [document.documentElement.scrollWidth, scroller?.scrollWidth];
    });
    expect(width).toEqual([360, 360]);
    for (const name of ["Approve", "Deny"]) {
      const box = await button(desk(), name).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
    }
    await button(desk(), "Approve").tap();
    await desk().see("Approved by you.");
  });
});
