import type { PendingCall } from "../shared/events.ts";
import { replyId } from "../shared/ids.ts";
import type { CallAnswer } from "../shared/session-api.ts";
import { checkTree } from "./body.ts";
import type { ListedMessage } from "./chat-body.ts";
import { toAnswer } from "./session-calls.ts";
import { shownParts, type ShownPart } from "./ui-catch-up.ts";
import { parseApprovalId, type ClientTools } from "./ui-tool-part.ts";

/**
 * What a client's messages answer of the calls that wait: decisions on approvals as they were seen, and results of tools
 * that the client runs. Only the message that asks is looked into, wherever it is among them, since other answers may hold
 * calls of the same id; nothing else of the messages is believed (promise T13). Throws `CarrelError('invalid')` for a
 * reason or a result that is too long or no valid text.
 */
export function answersIn(
  messages: readonly ListedMessage[],
  pending: readonly PendingCall[],
): CallAnswer[] {
  const asking = new Set(pending.map(({ turn }) => replyId(turn)));
  const parts = messages.flatMap((message) =>
    message.role === "assistant" && asking.has(message.id) ? shownParts(message) : [],
  );
  return pending.flatMap((call) => {
    const answer = parts
      .filter(({ toolCallId }) => toolCallId === call.call)
      .map((part) => (call.what === "approval" ? decisionOf(part, call) : resultOf(part, call)))
      .find((found) => found !== null);
    if (!answer) return [];
    checkTree(answer);
    return [toAnswer(call.call, answer)];
  });
}

/** Whether messages hold anything that may be an answer. What a tool gave long ago looks the same as what is new. */
export const mayAnswer = (messages: readonly ListedMessage[], clientTools: ClientTools): boolean =>
  messages.some(
    (message) =>
      message.role === "assistant" &&
      shownParts(message).some(
        ({ type, state }) =>
          state === "approval-responded" ||
          (state.startsWith("output-") && clientTools.has(type.slice("tool-".length))),
      ),
  );

function decisionOf({ state, approval }: ShownPart, { call, digest }: PendingCall): object | null {
  if (state !== "approval-responded" || approval?.approved === undefined) return null;
  const seen = parseApprovalId(approval.id);
  if (seen?.call !== call || seen.digest !== digest) return null;
  if (approval.approved) return { decision: "approve", digest };
  const { reason } = approval;
  return { decision: "deny", digest, ...(reason === undefined ? {} : { reason }) };
}

function resultOf(part: ShownPart, { digest }: PendingCall): object | null {
  if (part.state === "output-error") {
    const { errorText } = part;
    return { result: typeof errorText === "string" ? errorText : "", isError: true, digest };
  }
  const isFinal = part.state === "output-available" && part["preliminary"] !== true;
  return isFinal ? { result: part["output"] ?? null, digest } : null;
}
