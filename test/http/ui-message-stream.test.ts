import { validateUIMessages } from "ai";
import { describe, expect, it } from "vitest";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { toUiMessages } from "../../src/http/ui-messages.ts";
import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";
import { noUsage, type ContentPart, type ToolStatus } from "../../src/shared/messages.ts";
import type { HistoryMessage } from "../../src/shared/session-api.ts";
import { messageFrom } from "../support/chat-client.ts";

const start: SessionEvent = {
  type: "turn-start",
  turn: "t",
  reply: "t.reply",
  content: [{ type: "text", text: "hi" }],
  at: 1,
};

const stepStart = (step: number): SessionEvent => ({
  type: "step-start",
  turn: "t",
  step,
  model: "m",
});

const stepEnd = (finish: "stop" | "tool-calls" | "failed" | "stopped"): SessionEvent => ({
  type: "step-end",
  finish,
  usage: noUsage,
});

const end = (more: Partial<Extract<SessionEvent, { type: "turn-end" }>> = {}): SessionEvent => ({
  type: "turn-end",
  turn: "t",
  reply: "t.reply",
  outcome: "completed",
  usage: noUsage,
  steps: 1,
  at: 2,
  ...more,
});

const said = (text: string): SessionEvent[] => [
  { type: "text-start" },
  { type: "text", text },
  { type: "text-end" },
];

const called = (call: string, input: string): SessionEvent[] => [
  { type: "tool-call-start", call, name: "look" },
  { type: "tool-call", text: input },
  { type: "tool-call-end" },
];

const image: ContentPart = { type: "image", mediaType: "image/png", data: "AAAA" };

const result = (
  call: string,
  status: ToolStatus,
  content: readonly ContentPart[] = [{ type: "text", text: "what it says" }],
): SessionEvent => ({ type: "tool-result", turn: "t", call, name: "look", status, content, at: 1 });

const metadata = { outcome: "completed", usage: noUsage, endedAt: 2 };

const numbered = (events: readonly SessionEvent[]): IdentifiedEvent[] =>
  events.map((event, index) => ({ id: `${index + 1}.0`, event }));

const chunksOf = (events: readonly SessionEvent[]) => {
  const mapper = new UiMessageMapper(new Set());
  return numbered(events).flatMap((event) => mapper.take(event));
};

const typesOf = (events: readonly SessionEvent[]) => chunksOf(events).map(({ type }) => type);

describe("the chunks of a turn", () => {
  it("[S4] begin with the id of the answer and end with the turn", () => {
    const events = [start, stepStart(1), ...said("Hello"), stepEnd("stop"), end()];
    expect(chunksOf([end(), ...events, ...events])).toEqual([
      { type: "start", messageId: "t.reply" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Hello" },
      { type: "text-end", id: "0" },
      { type: "finish-step" },
      { type: "finish", finishReason: "stop", messageMetadata: metadata },
    ]);
  });

  it("say nothing of files that the message names", () => {
    const attached = { type: "attached", turn: "t", files: [{ path: "a.md", bytes: 3 }] } as const;
    const events = [stepStart(1), ...said("Hello"), stepEnd("stop"), end()];
    expect(chunksOf([start, attached, ...events])).toEqual(chunksOf([start, ...events]));
  });

  it("[S4] end a step after the results of its calls", () => {
    const first = [stepStart(1), ...called("c1", "{}"), ...called("c2", ""), stepEnd("tool-calls")];
    const second = [stepStart(2), ...said("done"), stepEnd("stop")];
    const results = [result("c2", "success"), result("c1", "error")];
    const types = typesOf([start, ...first, ...results, ...second, end()]);
    expect(types.slice(-9)).toEqual([
      "tool-output-available",
      "tool-output-error",
      "finish-step",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
  });

  it("tell the arguments of a call as they come, then whole, or that they are no JSON", () => {
    const call = { toolCallId: "c", toolName: "look", dynamic: true };
    expect(chunksOf([start, stepStart(1), ...called("c", '{"a":1}')]).slice(2)).toEqual([
      { type: "tool-input-start", ...call },
      { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":1}' },
      { type: "tool-input-available", ...call, input: { a: 1 } },
    ]);
    expect(chunksOf([start, stepStart(1), ...called("c", '{"a":')]).at(-1)).toEqual({
      type: "tool-input-error",
      ...call,
      input: '{"a":',
      errorText: "The arguments are not valid JSON.",
    });
  });

  it("give a tool's text as its output, and its parts when there is an image", () => {
    const outputOf = (content: readonly ContentPart[]) =>
      chunksOf([start, stepStart(1), ...called("c", ""), result("c", "success", content)]).at(-1);
    expect(outputOf([{ type: "text", text: "x" }])).toMatchObject({ output: "x" });
    expect(outputOf([image])).toMatchObject({ output: [image] });
    expect(outputOf([])).toMatchObject({ output: [] });
  });

  it.each(["error", "interrupted", "unknown"] as const)(
    "show a call that ended as %s as failed",
    (status) => {
      expect(
        chunksOf([start, stepStart(1), ...called("c", ""), result("c", status, [image])]).at(-1),
      ).toEqual({
        type: "tool-output-error",
        toolCallId: "c",
        errorText: "[image/png]",
        dynamic: true,
      });
    },
  );

  it("end a failed turn with its error, the metadata before it, and say nothing of a step that never was", () => {
    const error = { code: "model_auth", message: "The key is wrong." };
    expect(chunksOf([start, end({ outcome: "failed", error })])).toEqual([
      { type: "start", messageId: "t.reply" },
      { type: "message-metadata", messageMetadata: { ...metadata, outcome: "failed", error } },
      { type: "error", errorText: "The key is wrong." },
      { type: "finish", finishReason: "error" },
    ]);
  });

  it("end a stopped turn with an abort, as interrupted, so that no client sends it again by itself", () => {
    const events = [
      start,
      stepStart(1),
      ...said("Hel"),
      stepEnd("stopped"),
      end({ outcome: "stopped" }),
    ];
    expect(chunksOf(events).slice(-3)).toEqual([
      { type: "finish-step" },
      {
        type: "finish",
        finishReason: "interrupted",
        messageMetadata: { ...metadata, outcome: "stopped" },
      },
      { type: "abort" },
    ]);
  });

  it("[S2] take a given-up attempt back within its step", () => {
    const attempt = [stepStart(1), ...said("Hel").slice(0, 2)];
    const reset: SessionEvent = { type: "step-reset", turn: "t", to: "2.0", reason: "retry" };
    const again = [stepStart(1), ...said("Hello"), stepEnd("stop"), end()];
    expect(chunksOf([start, ...attempt, reset, ...again]).slice(2, 6)).toEqual([
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "Hel" },
      { type: "reset-step" },
      { type: "text-start", id: "0" },
    ]);
    expect(typesOf([start, stepStart(1), reset, ...again]).slice(0, 3)).toEqual([
      "start",
      "start-step",
      "text-start",
    ]);
  });
});

describe("a denied call", () => {
  const events = [
    start,
    stepStart(1),
    ...called("c", "{}"),
    result("c", "denied"),
    stepEnd("failed"),
  ];

  it("is told with its reason, as the SDK tells an automatic denial", () => {
    expect(chunksOf(events).slice(-3)).toEqual([
      { type: "tool-approval-request", approvalId: "c", toolCallId: "c", isAutomatic: true },
      { type: "tool-approval-response", approvalId: "c", approved: false, reason: "what it says" },
      { type: "tool-output-denied", toolCallId: "c" },
    ]);
  });

  it("[H3] looks the same live and in the history, and is a valid message", async () => {
    const message: HistoryMessage = {
      id: "t.reply",
      role: "assistant",
      turn: "t",
      at: 2,
      state: "running",
      steps: [1],
      parts: [
        {
          type: "tool",
          call: "c",
          name: "look",
          input: "{}",
          result: { status: "denied", content: [{ type: "text", text: "what it says" }] },
        },
      ],
    };
    const messages = toUiMessages([message], new Set());
    await expect(validateUIMessages({ messages })).resolves.toHaveLength(1);
    expect((await messageFrom(chunksOf(events))).message).toEqual(messages[0]);
  });
});
