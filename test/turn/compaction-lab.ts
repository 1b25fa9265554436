import {
  estimateMessageTokens,
  estimateTokens,
  estimateToolTokens,
} from "../../src/context/tokens.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import type { EntryOf } from "../../src/session/entries.ts";
import type { ContextDocument } from "../../src/session/state-documents.ts";
import { ModelError } from "../../src/shared/errors.ts";
import type { ModelMessage } from "../../src/shared/messages.ts";
import { defaultCompaction, type CompactionConfig } from "../../src/turn/compaction/config.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import { providerViolations } from "../support/provider-rules.ts";
import { asksForSummary } from "../support/scripted-model.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

/** What the model says to a request; `before` an overflow that comes in mid-stream. */
export type Said = {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
};

export type Options = {
  /** Tokens that the model takes, and whether it says so; default: both unknown. */
  readonly window?: number;
  readonly isSilent?: boolean;
  readonly config?: Partial<CompactionConfig> | null;
  /** By the text that the user said last, and how many steps of the turn there were. */
  readonly answer?: (said: string, request: ModelRequest) => Said;
  readonly summary?: (request: ModelRequest, signal: AbortSignal) => string | Promise<string>;
  /** Text that is streamed before an overflow is told. */
  readonly partial?: string;
  readonly harness?: LabOptions;
};

/** Tokens of a whole request, by the estimate. */
export const tokensOf = ({ system, messages, tools }: ModelRequest): number =>
  estimateTokens(system) +
  tools.reduce((sum, tool) => sum + estimateToolTokens(tool), 0) +
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

/** What the user said last, without what stands before it. */
export function lastSaid({ messages }: ModelRequest): string {
  const user = messages.findLast(({ role }) => role === "user");
  const parts = user?.role === "user" ? user.content : [];
  const part = parts.findLast(({ type }) => type === "text");
  return part?.type === "text" ? part.text : "";
}

/** A session whose model counts tokens, refuses what is too long for it, and writes summaries. */
export class CompactionLab {
  readonly lab: SessionLab;
  readonly requests: ModelRequest[] = [];
  /** Tokens of each request. */
  readonly sizes: number[] = [];
  readonly summaries: ModelRequest[] = [];
  /** What any provider would refuse. */
  readonly violations: string[] = [];
  overflows = 0;
  options: Options;

  constructor(options: Options = {}) {
    this.options = options;
    const { config = {}, harness = {} } = options;
    const compaction = config === null ? null : { ...defaultCompaction, ...config };
    this.lab = new SessionLab({
      model: this.#model(),
      limits: { ...defaultLimits, maxIters: 200, maxRepeatedCalls: 1_000 },
      context: { ...defaultContext, compaction },
      ...harness,
    });
  }

  /** Sends a message and lets its turn end, with all that comes after it. */
  async say(key: string, text: string): Promise<void> {
    this.lab.say(key, text);
    await this.lab.settle();
  }

  get facts(): EntryOf<"compacted">[] {
    return this.lab.entries().flatMap((entry) => (entry.kind === "compacted" ? [entry] : []));
  }

  /** How each compaction went, in one line. */
  get hows(): string {
    return this.facts.map(({ how }) => how).join(" ");
  }

  get document(): ContextDocument {
    const [row] = this.lab.sql.all<{ body: string }>(
      "SELECT body FROM state WHERE name = 'context'",
    );
    return JSON.parse(row?.body ?? '{"from":0}') as ContextDocument;
  }

  /** The newest request's messages as text. */
  get asked(): string {
    return JSON.stringify(this.requests.at(-1)?.messages ?? []);
  }

  #model(): Model {
    const { window, isSilent } = this.options;
    const stream = (request: ModelRequest, signal: AbortSignal) =>
      asksForSummary(request) ? this.#summarise(request, signal) : this.#answer(request);
    return {
      id: "counting",
      ...(window === undefined || isSilent === true ? {} : { contextWindow: window }),
      stream,
    };
  }

  async *#summarise(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent[]> {
    this.summaries.push(request);
    this.violations.push(...providerViolations(request));
    const { summary = () => "## SESSION INTENT\nTo talk.", window = Infinity } = this.options;
    if (tokensOf(request) > window) throw new ModelError("context_overflow", "Too long to sum up.");
    const text = await summary(request, signal);
    yield [{ type: "text", text }];
    yield [finish(0, text)];
  }

  async *#answer(request: ModelRequest): AsyncIterable<ModelEvent[]> {
    this.requests.push(request);
    this.violations.push(...providerViolations(request));
    const { window = Infinity, answer = (): Said => ({}), partial } = this.options;
    const tokens = tokensOf(request);
    this.sizes.push(tokens);
    if (tokens > window) {
      this.overflows += 1;
      if (partial !== undefined) yield [{ type: "text", text: partial }];
      throw new ModelError("context_overflow", "The prompt is too long for this model.");
    }
    const { text = "Yes.", calls = [] } = answer(lastSaid(request), request);
    yield [{ type: "text", text }];
    for (const [index, { name, input }] of calls.entries())
      yield [
        { type: "tool-call", index, name },
        { type: "tool-input", index, text: JSON.stringify(input) },
      ];
    yield [finish(tokens, text, calls.length > 0)];
  }
}

const finish = (input: number, text: string, hasCalls = false): ModelEvent => ({
  type: "finish",
  reason: hasCalls ? "tool-calls" : "stop",
  usage: { input, output: estimateTokens(text), cached: 0 },
});

/** The texts of messages, one after the other. */
export const textsOf = (messages: readonly ModelMessage[]): string =>
  messages
    .flatMap((message): readonly object[] => {
      if (message.role === "user") return message.content;
      if (message.role === "assistant") return message.parts;
      return message.results.flatMap(({ content }) => content);
    })
    .map((part) => ("text" in part ? String(part.text) : ""))
    .join("\n");
