import { describe, expect, it } from "vitest";
import { useDesk } from "./desk.ts";

const desk = useDesk();

describe("a conversation that grew long", () => {
  it("[S7] shows where the agent's view of it was made shorter, in order, also over a reload of a running turn", async () => {
    await desk().open();
    const turn = await desk().begin("And then?");
    const session = desk().server.session(desk().server.posts[0]?.session ?? "");
    const before = { messages: 52, tokens: 41_200 };
    const after = { messages: 14, tokens: 9_100 };
    turn.text("Let me see.").endStep();
    session.fact({ type: "compacted", how: "summary", before, after, at: 1 });
    turn.step().text("Then it rained.");
    await desk().see("Then it rained.");
    const summarised =
      "Earlier messages were summarised for the agent: 52 → 14 messages, about 41k → 9k tokens.";
    const shown = () => desk().page.locator(".answer > *").allInnerTexts();
    expect(await shown()).toEqual(["Let me see.", summarised, "Then it rained."]);
    await desk().page.reload();
    await desk().see("Then it rained.");
    expect(await shown()).toEqual(["Let me see.", summarised, "Then it rained."]);
    turn.endStep();
    const why = "the model that writes summaries did not answer.";
    session.fact({ type: "compacted", how: "failed", before, after: before, why, at: 2 });
    session.fact({ type: "compacted", how: "cut", before, after, at: 3 });
    turn.end();
    await desk().see(`Earlier messages could not be summarised for the agent: ${why}`);
    await desk().see("The agent no longer sees the earliest messages: 52 → 14 messages");
  });

  it("[S7] says where the whole of a long result is, and opens it", async () => {
    await desk().open();
    const path = "large_tool_results/s/t_call.txt";
    await desk().server.workspace.put("own", path, "all of it\n");
    const turn = await desk().begin("Read all of it");
    turn.call("fetch", "{}").endStep().evicted("beginning … end", { path, chars: 81_234 });
    await desk().see("The whole result (81,234 characters) is in");
    await desk().page.getByRole("button", { name: path }).click();
    const text = desk().page.getByRole("textbox", { name: `Text of ${path}` });
    await expect.poll(() => text.inputValue()).toBe("all of it\n");
    turn.end();
  });
});

describe("a message", () => {
  it("says in which time zone the person is, and so does the wish for another answer", async () => {
    await desk().open({ timezoneId: "Asia/Tokyo" });
    const turn = await desk().begin("What day is it?");
    turn.text("Tuesday.").endStep().end();
    await desk().page.getByRole("button", { name: "Regenerate" }).click();
    (await desk().server.nextTurn()).start().step().text("Wednesday.").endStep().end();
    await desk().see("Wednesday.");
    expect(desk().server.posts.map(({ body }) => JSON.parse(body))).toEqual([
      { message: "What day is it?", timeZone: "Asia/Tokyo" },
      { regenerate: true, timeZone: "Asia/Tokyo" },
    ]);
  });
});
