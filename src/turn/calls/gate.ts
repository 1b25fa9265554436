import { invalid } from "../../shared/errors.ts";
import type { ToolCall } from "../../shared/messages.ts";
import type { AskedFor, Rules } from "../../shared/permissions.ts";
import { heldOf, openCalls, questionOf, type EntryOf } from "../../session/entries.ts";
import type { RunningTurn } from "../../session/turns.ts";
import type { PermissionConfig } from "../../permissions/config.ts";
import { decide, type Decision } from "../../permissions/decide.ts";
import { callDigest } from "../../permissions/digest.ts";
import type { CheckedCall, PreparedCall, ServerTool, Tool } from "../../tools/tool.ts";
import type { Capability, ToolOutcome, TurnScope } from "../capability.ts";
import type { SessionCore } from "../core.ts";
import { groupsInStep, notOffered, offeredSpecs } from "./groups.ts";
import { failed, forbidden, unknownOutcome } from "./outcomes.ts";
import type { PreparedTurn } from "../prepare.ts";
import { isExpired } from "./questions.ts";

export type GateContext = {
  readonly core: SessionCore;
  readonly prepared: PreparedTurn;
  readonly scope: TurnScope;
  readonly capabilities: readonly Capability[];
  readonly permissions: PermissionConfig;
  /** Digests that were made already, by call and arguments: they cannot change while a turn is driven. */
  readonly digests: Map<string, string>;
};

/** What has to be known of a call before it can be asked about, or before an answer can be believed. */
export type Undigested = { readonly key: string } & Digested;

/** What an approval is for. */
export type Digested = {
  readonly tool: Tool;
  readonly input: unknown;
  readonly binds?: string | undefined;
};

export type Question = Pick<EntryOf<"asked">, "what" | "input" | "digest" | "reason" | "suggested">;

/** What may become of an open call now. It holds until the next `await`: afterwards it is asked for again. */
export type Verdict =
  /** `call`: with the arguments that run. `pending`: what was asked about it and is allowed by now. */
  | {
      readonly kind: "run";
      readonly call: ToolCall;
      readonly tool: ServerTool;
      readonly prepared: PreparedCall;
      readonly isBegun: boolean;
      readonly pending: EntryOf<"asked"> | null;
    }
  /** It is not run; that is its result. */
  | { readonly kind: "settle"; readonly outcome: ToolOutcome }
  /** Nobody has answered in time. */
  | { readonly kind: "expired" }
  /** The digest is missing: once it is among the context's, there is another verdict. */
  | ({ readonly kind: "undigested" } & Undigested)
  | { readonly kind: "ask"; readonly question: Question }
  /** It waits for an answer, or for tasks. */
  | { readonly kind: "parked" }
  /** It has its result. */
  | { readonly kind: "settled" };

/**
 * Decides about one call from what is known at this moment: its arguments, the gates of capabilities, permissions, and
 * what was asked and answered before. Throws what the tool's own check throws.
 */
export function judge(context: GateContext, turn: RunningTurn, call: ToolCall): Verdict {
  const entries = context.core.entriesOf(turn.id);
  if (!openCalls(entries).some((open) => open.call === call.call)) return { kind: "settled" };
  const tool = context.prepared.tools.get(call.name);
  const groups = groupsInStep(context.core.groups, entries);
  if (!tool) return settle(failed(noSuchTool(context.prepared, call, groups)));
  if (heldOf(entries, call.call)) return { kind: "parked" };
  const isBegun = entries.some((entry) => entry.kind === "intent" && entry.call === call.call);
  const why = notOffered(tool, groups);
  if (why !== null) return settle(isBegun ? unknownOutcome() : failed(why));
  const asked = questionOf(entries, call.call);
  // What a person has seen, or has put there, takes the place of what the model wrote.
  const seen = asked?.answered?.input ?? asked?.asked.input;
  const input: unknown = seen === undefined ? parseInput(call.input) : JSON.parse(seen);
  if (tool.runsOn === "client") {
    const { binds, ...checked } = tool.prepare(input);
    const decision = decideOn(context, tool, input, checked);
    if (decision.kind === "deny") return settle(forbidden(decision.reason));
    if (isBegun) return settle(unknownOutcome());
    const question = questionOn("client", decision);
    const parked = whileAsked(context, { call, tool, input, binds, asked }, question);
    return parked ?? settle(failed("This tool cannot be run here."));
  }
  const prepared = tool.prepare(input);
  const decision = decideOn(context, tool, input, prepared);
  // What began was permitted; now it may only not begin again.
  if (decision.kind === "deny")
    return settle(isBegun ? unknownOutcome() : forbidden(decision.reason));
  const pending = asked && !asked.answered ? asked.asked : null;
  const runs = { ...call, input: seen ?? call.input };
  const run = { kind: "run", call: runs, tool, prepared, isBegun, pending } as const;
  if (isBegun || decision.kind === "allow") return run;
  const question = questionOn("approval", decision);
  const { binds } = prepared;
  return whileAsked(context, { call, tool, input, binds, asked }, question) ?? run;
}

type AskedCall = Digested & {
  readonly call: ToolCall;
  readonly asked: ReturnType<typeof questionOf>;
};

/** What becomes of a call that needs an answer; `null` when it was approved as it would run now. */
function whileAsked(
  { core, digests }: GateContext,
  { call, tool, input, binds, asked }: AskedCall,
  question: Omit<Question, "input" | "digest">,
): Verdict | null {
  const text = JSON.stringify(input);
  const key = `${call.call} ${binds ?? ""} ${text}`;
  const digest = digests.get(key);
  if (digest === undefined) return { kind: "undigested", key, tool, input, binds };
  const { answered = null } = asked ?? {};
  if (answered?.answer === "approved" && answered.digest === digest) return null;
  if (!asked || answered || asked.asked.digest !== digest)
    return { kind: "ask", question: { ...question, input: text, digest } };
  if (isExpired(asked.asked, core.clock.now())) return { kind: "expired" };
  return { kind: "parked" };
}

/** The client of a tool that it runs asks its person itself, so that only its part is waited for. */
function questionOn(what: AskedFor, decision: Decision): Omit<Question, "input" | "digest"> {
  if (decision.kind === "ask")
    return { what, reason: decision.reason, suggested: decision.suggested };
  return { what, reason: "The client runs this tool.", suggested: [] };
}

function decideOn(context: GateContext, tool: Tool, input: unknown, call: CheckedCall): Decision {
  const { core, permissions: operator, capabilities, scope } = context;
  const { name, effect } = tool;
  let gate: string | null = null;
  for (const capability of capabilities)
    gate ??= capability.gate?.(scope, { name, effect, input }) ?? null;
  const session = core.permissions;
  // To give the answer that was asked for has no effect that a person could be asked about.
  if (tool === context.prepared.format?.tool) {
    const [own, set] = [
      { ...operator, ask: [] },
      { ...session, ask: [] },
    ];
    return decide({ tool, input, call, operator: own, session: set, gate });
  }
  return decide({ tool, input, call, operator, session, gate });
}

/** What a call's approval is bound to (promise A4). */
export function digestOf(
  { tool: asked, input, binds }: Digested,
  { allow, ask, deny }: Rules,
): Promise<string> {
  const { name, description, effect, inputSchema, ...tool } = asked;
  const replay = "replay" in tool ? { replay: tool.replay } : {};
  const runsOn = tool.runsOn === undefined ? {} : { runsOn: tool.runsOn };
  const seen = { name, description, effect, inputSchema, ...replay, ...runsOn };
  const bound = binds === undefined ? {} : { binds };
  return callDigest({ tool: seen, input, operator: { allow, ask, deny }, ...bound });
}

const settle = (outcome: ToolOutcome): Verdict => ({ kind: "settle", outcome });

function noSuchTool(prepared: PreparedTurn, { name }: ToolCall, groups: readonly string[]): string {
  const names = offeredSpecs(prepared, groups)
    .map((spec) => spec.name)
    .join(", ");
  return `There is no tool named "${name}". The tools are: ${names === "" ? "none" : names}.`;
}

function parseInput(input: string): unknown {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input);
  } catch {
    throw invalid(
      "The arguments are not valid JSON. Send one JSON object that matches the schema of the tool.",
    );
  }
}
