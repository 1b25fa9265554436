import { EMPTY, type Transcript, reduce } from "../../public/transcript.js";
import type { IdentifiedEvent, SessionEvent, SessionStatus } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";

export const say = (text: string) => [{ type: "text" as const, text }];

export const start = (
  turn: string,
  seq: number,
  more: { replaces?: string } = {},
): IdentifiedEvent => ({
  id: `${seq}.0`,
  event: {
    type: "turn-start",
    turn,
    reply: `${turn}.reply`,
    content: say(`ask ${turn}`),
    at: seq,
    ...more,
  },
});
export const step = (turn: string, seq: number, number = 1): IdentifiedEvent => ({
  id: `${seq}.0`,
  event: { type: "step-start", turn, step: number, model: "test:model" },
});
export const end = (
  turn: string,
  seq: number,
  outcome: "completed" | "failed" | "stopped" = "completed",
): IdentifiedEvent => ({
  id: `${seq}.0`,
  event: {
    type: "turn-end",
    turn,
    reply: `${turn}.reply`,
    outcome,
    usage: noUsage,
    steps: 1,
    at: seq,
  },
});
export const status = (turns: SessionStatus["turns"]): SessionStatus => ({
  type: "status",
  pending: [],
  mode: "DEFAULT",
  turns,
  last: "9.0",
});
export const at = (id: string, event: SessionEvent): IdentifiedEvent => ({ id, event });

/** A turn with a reasoning, a tool call and an answer. */
export const tool: readonly IdentifiedEvent[] = [
  start("t", 1),
  step("t", 2),
  at("2.1", { type: "reasoning-start" }),
  at("2.4", { type: "reasoning", text: "hmm" }),
  at("2.5", { type: "reasoning-end" }),
  at("2.6", { type: "text-start" }),
  at("2.8", { type: "text", text: "I " }),
  at("2.12", { type: "text", text: "look" }),
  at("2.13", { type: "text-end" }),
  at("2.14", { type: "tool-call-start", call: "call_2_0", name: "read_file" }),
  at("2.16", { type: "tool-call", text: '{"' }),
  at("2.22", { type: "tool-call", text: 'p":1}' }),
  at("2.23", { type: "tool-call-end" }),
  at("2.24", { type: "step-end", finish: "tool-calls", usage: noUsage }),
  at("3.0", {
    type: "tool-result",
    turn: "t",
    call: "call_2_0",
    name: "read_file",
    status: "success",
    content: say("body"),
    at: 3,
  }),
  step("t", 4, 2),
  at("4.1", { type: "text-start" }),
  at("4.6", { type: "text", text: "found" }),
  at("4.7", { type: "text-end" }),
  at("4.8", { type: "step-end", finish: "stop", usage: noUsage }),
  end("t", 5),
];

export const play = (events: readonly IdentifiedEvent[], from: Transcript = EMPTY): Transcript =>
  events.reduce(reduce, from);

export const parts = (transcript: Transcript) =>
  transcript.turns.at(-1)?.steps.flatMap((each) => each.parts) ?? [];
export const spoken = (transcript: Transcript): string[] =>
  parts(transcript).map((part) => {
    if (part.kind === "tool") return `${part.name}(${part.input})`;
    if (part.kind === "compacted") return `[${part.how}]`;
    return part.kind === "steered" ? `[${JSON.stringify(part.content)}]` : part.text;
  });
