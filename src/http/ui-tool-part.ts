import type { ContentPart } from "../shared/messages.ts";
import type { HistoryPart } from "../shared/session-api.ts";
import type { UiEdited, UiToolChunk } from "./ui-chunks.ts";

/** A call with everything that is known of it. */
export type ToolView = Extract<HistoryPart, { readonly type: "tool" }>;

/** Names of the tools that the client runs. */
export type ClientTools = ReadonlySet<string>;

/**
 * A call as the AI SDK's clients keep it: as `dynamic-tool`, and as `tool-<name>` where the client runs the tool, so
 * that what the SDK's guide says about such tools holds.
 */
export type UiToolPart = (
  | { readonly type: "dynamic-tool"; readonly toolName: string }
  | { readonly type: `tool-${string}` }
) & {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly toolMetadata?: UiEdited;
} & UiToolState;

export type UiToolState =
  | { readonly state: "input-available" }
  | { readonly state: "approval-requested"; readonly approval: UiApproval }
  | { readonly state: "approval-responded"; readonly approval: UiDecision }
  | { readonly state: "output-available"; readonly output: unknown; readonly approval?: UiDecision }
  | { readonly state: "output-error"; readonly errorText: string; readonly approval?: UiDecision }
  | { readonly state: "output-denied"; readonly approval: UiDecision };

/** A question about a call. `requestReason`: why it is asked. */
export type UiApproval = { readonly id: string; readonly requestReason?: string };

/** How it was decided; `isAutomatic` where nobody was asked. */
export type UiDecision = UiApproval & {
  readonly isAutomatic?: true;
  readonly approved: boolean;
  readonly reason?: string;
};

/** Names what was seen with the call, so that an answer is for nothing else. */
const approvalIdOf = (call: string, digest: string): string => `${call}.${digest}`;

/** The call and the digest that an approval's id names; `null` for an id that is not of ours. */
export function parseApprovalId(
  id: string,
): { readonly call: string; readonly digest: string } | null {
  const dot = id.lastIndexOf(".");
  return dot > 0 ? { call: id.slice(0, dot), digest: id.slice(dot + 1) } : null;
}

/** A call in the state that its newest fact puts it in. */
export function toToolPart(view: ToolView, clientTools: ClientTools): UiToolPart {
  const own = parseToolInput(view.input);
  const other = view.pending?.input ?? view.answered?.input;
  const { input, error } = other === undefined ? own : parseToolInput(other);
  const name = clientTools.has(view.name)
    ? ({ type: `tool-${view.name}` } as const)
    : ({ type: "dynamic-tool", toolName: view.name } as const);
  const head = { ...name, toolCallId: view.call, input };
  const edited = isSame(input, own.input) ? {} : { toolMetadata: { edited: true } as const };
  return { ...head, ...edited, ...toState(view, clientTools.has(view.name), error) };
}

function toState(view: ToolView, isClients: boolean, error: string | undefined): UiToolState {
  const approval = toApproval(view);
  if (view.result) return toOutcome(view.call, view.result, isClients, approval);
  if (!approval)
    return error === undefined
      ? { state: "input-available" }
      : { state: "output-error", errorText: error };
  return isDecided(approval)
    ? { state: "approval-responded", approval }
    : { state: "approval-requested", approval };
}

/** A denied call of a client's tool is a failed one: the SDK knows denials only of what was asked. */
function toOutcome(
  call: string,
  result: NonNullable<ToolView["result"]>,
  isClients: boolean,
  approval: UiApproval | UiDecision | null,
): UiToolState {
  const granted = approval && isDecided(approval) && approval.approved ? { approval } : {};
  if (result.status === "success") {
    const output = toToolOutput(result.content);
    const given = isClients && typeof output === "string" ? toGiven(output) : output;
    return { state: "output-available", output: given, ...granted };
  }
  const text = textOf(result.content);
  if (result.status !== "denied" || isClients)
    return { state: "output-error", errorText: text, ...granted };
  if (!approval) {
    const denial = { id: call, isAutomatic: true, approved: false, reason: text } as const;
    return { state: "output-denied", approval: denial };
  }
  const isDenied = isDecided(approval) && !approval.approved;
  return {
    state: "output-denied",
    approval: isDenied ? approval : { ...approval, approved: false, reason: text },
  };
}

function toApproval({ call, pending, answered }: ToolView): UiApproval | UiDecision | null {
  if (pending) return pending.what === "approval" ? toQuestion(call, pending) : null;
  if (answered?.question.what !== "approval") return null;
  return {
    ...toQuestion(call, answered.question),
    approved: answered.answer === "approved",
    ...(answered.reason === undefined ? {} : { reason: answered.reason }),
  };
}

const toQuestion = (
  call: string,
  { digest, reason }: { readonly digest: string; readonly reason: string },
): UiApproval => ({
  id: approvalIdOf(call, digest),
  ...(reason === "" ? {} : { requestReason: reason }),
});

const isDecided = (approval: UiApproval | UiDecision): approval is UiDecision =>
  "approved" in approval;

/** A call as some client shows it. What it holds beside is of no matter here. */
export type ShownTool = {
  readonly state: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: unknown;
  readonly approval?:
    | { readonly id?: unknown; readonly approved?: unknown; readonly reason?: unknown }
    | undefined;
};

/** The chunks that make a client show `to` where it shows `from`: none where it does. */
export function changeTool(from: ShownTool, to: UiToolPart): UiToolChunk[] {
  const chunks: UiToolChunk[] = [];
  let { state } = from;
  const hasInput = state === "input-streaming" || isSame(from.input, to.input);
  if (!hasInput || (to.state === "input-available" && state !== to.state)) {
    chunks.push(inputOf(to));
    state = "input-available";
  }
  if (to.state === "input-available") return chunks;
  const decision = changeApproval({ ...from, state }, to);
  chunks.push(...decision);
  return decision.length === 0 && isShown({ ...from, state }, to)
    ? chunks
    : [...chunks, ...outcomeOf(to, state)];
}

function changeApproval(from: ShownTool, to: UiToolPart): UiToolChunk[] {
  const chunks: UiToolChunk[] = [];
  if (!("approval" in to) || to.approval === undefined) return [];
  const { id: approvalId, requestReason } = to.approval;
  const isAsked = from.approval?.id === approvalId;
  if (!isAsked || (to.state === "approval-requested" && from.state !== to.state)) {
    chunks.push({
      type: "tool-approval-request",
      approvalId,
      toolCallId: to.toolCallId,
      ...(requestReason === undefined ? {} : { reason: requestReason }),
      ...("isAutomatic" in to.approval ? { isAutomatic: true } : {}),
    });
  }
  if (!isDecided(to.approval)) return chunks;
  const { approved, reason } = to.approval;
  const isTold =
    isAsked &&
    from.approval?.approved === approved &&
    (reason === undefined || from.approval.reason === reason);
  if (!isTold || (to.state === "approval-responded" && from.state !== to.state)) {
    chunks.push({
      type: "tool-approval-response",
      approvalId,
      approved,
      ...(reason === undefined ? {} : { reason }),
    });
  }
  return chunks;
}

function isShown(from: ShownTool, to: UiToolPart): boolean {
  if (from.state !== to.state) return false;
  if (to.state === "output-available") return isSame(from.output, to.output);
  return to.state !== "output-error" || from.errorText === to.errorText;
}

function outcomeOf(to: UiToolPart, from: string): UiToolChunk[] {
  const { toolCallId } = to;
  const dynamic = isDynamic(to) ? ({ dynamic: true } as const) : {};
  switch (to.state) {
    case "output-available":
      return [{ type: "tool-output-available", toolCallId, output: to.output, ...dynamic }];
    case "output-error":
      // Else the SDK keeps the text of an input that it was never told to be whole.
      if (from === "input-streaming")
        return [
          { type: "tool-input-error", ...callOf(to), input: to.input, errorText: to.errorText },
        ];
      return [{ type: "tool-output-error", toolCallId, errorText: to.errorText, ...dynamic }];
    case "output-denied":
      return [{ type: "tool-output-denied", toolCallId }];
    default:
      return [];
  }
}

/** The chunks that make a client show a call that it does not. A client runs its tool when it is told the whole input. */
export function introduceTool(to: UiToolPart): UiToolChunk[] {
  const { input } = to;
  if (isDynamic(to) || to.state === "input-available")
    return [inputOf(to), ...changeTool({ state: "input-available", input }, to)];
  return [
    { type: "tool-input-start", ...callOf(to) },
    {
      type: "tool-input-delta",
      toolCallId: to.toolCallId,
      inputTextDelta: JSON.stringify(input),
    },
    ...changeTool({ state: "input-streaming" }, to),
  ];
}

function inputOf(to: UiToolPart): UiToolChunk {
  const { input, toolMetadata } = to;
  const edited = toolMetadata ? { toolMetadata } : {};
  return { type: "tool-input-available", ...callOf(to), input, ...edited };
}

const callOf = (to: UiToolPart) =>
  isDynamic(to)
    ? ({ toolCallId: to.toolCallId, toolName: to.toolName, dynamic: true } as const)
    : { toolCallId: to.toolCallId, toolName: to.type.slice("tool-".length) };

const isDynamic = (part: UiToolPart): part is Extract<UiToolPart, { type: "dynamic-tool" }> =>
  part.type === "dynamic-tool";

/** Whether two values are the same JSON, whatever the order of their keys. */
export const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** The arguments of a call, `{}` when there are none; as they were written, with an error, when they are not JSON. */
export function parseToolInput(text: string): { readonly input: unknown; readonly error?: string } {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return { input: text, error: "The arguments are not valid JSON." };
  }
}

/** What a tool gave: its text, or its parts when there is anything but one text. */
export function toToolOutput(content: readonly ContentPart[]): unknown {
  const [first] = content;
  return content.length === 1 && first?.type === "text" ? first.text : content;
}

/** What a client gave for its tool, which is kept as text: JSON is given back as the value that it was. */
function toGiven(text: string): unknown {
  const { input, error } = parseToolInput(text);
  return error !== undefined || text === "" || typeof input === "string" ? text : input;
}

/** The text of a result, for where only text fits; an image is named. */
export const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
