import type { Locator } from "playwright-core";
import type { PendingCall } from "../../src/shared/events.ts";
import type { Desk } from "./desk.ts";
import type { FakeTurn } from "./fake-turn.ts";

export const PUSH = JSON.stringify({ command: "git push", branch: "main" });

/** A message whose turn waits for the person to decide on a call of `shell`. */
export async function beginAsking(desk: Desk, more: Partial<PendingCall> = {}): Promise<FakeTurn> {
  const turn = await desk.begin("Push it");
  turn.text("I would push it.").call("shell", PUSH).endStep().ask(more).wait();
  await cardOf(desk).waitFor();
  return turn;
}

/** The question that is asked in a call of a tool. */
export const cardOf = (desk: Desk, tool = "shell"): Locator =>
  desk.page.getByRole("group", { name: `May ${tool} run?` });

/** The question of a tab that is no desk's own. */
export const button = (desk: Desk, name: string): Locator =>
  cardOf(desk).getByRole("button", { name, exact: true });
