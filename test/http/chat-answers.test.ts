import { describe, expect, it } from "vitest";
import { answersIn } from "../../src/http/chat-answers.ts";
import type { PendingCall } from "../../src/shared/events.ts";

const digest = "d".repeat(64);

const pending = (what: PendingCall["what"]): PendingCall => ({
  turn: "t2",
  call: "call_7_0",
  name: "locate",
  what,
  input: "{}",
  digest,
  reason: "",
  suggested: [],
  expiresAt: 1,
});

const message = (id: string, part: object, role: "user" | "assistant" = "assistant") => ({
  id,
  role,
  parts: [{ type: "tool-locate", toolCallId: "call_7_0", ...part }],
});

const gave = (output: string) => ({ state: "output-available", output });
const approved = {
  state: "approval-responded",
  approval: { id: `call_7_0.${digest}`, approved: true },
};

describe("what a client's messages answer", () => {
  it("[T13] is in the message that asks, not in another with a call of the same id", () => {
    const messages = [message("t1.reply", gave("old")), message("t2.reply", gave("new"))];
    for (const listed of [messages, messages.toReversed()])
      expect(answersIn(listed, [pending("client")])).toMatchObject([{ output: "new" }]);
  });

  it.each([
    ["of another turn", "t1.reply", "assistant"],
    ["of the user", "t2.reply", "user"],
    ["with the user's id", "t2", "assistant"],
  ] as const)("[T13] is nothing in a message %s", (_what, id, role) => {
    expect(answersIn([message(id, gave("old"), role)], [pending("client")])).toEqual([]);
    expect(answersIn([message(id, approved, role)], [pending("approval")])).toEqual([]);
    const own = [message("t2.reply", approved)];
    expect(answersIn(own, [pending("approval")])).toMatchObject([{ kind: "approve" }]);
  });
});
