import { sessionKey } from "../../shared/ids.ts";
import type { ToolCall } from "../../shared/messages.ts";
import { lastSeen } from "../../session/transcript.ts";
import type { RunningTurn } from "../../session/turns.ts";
import { isOwnTool } from "../../tools/own-tools.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { TurnScope } from "../capability.ts";
import { createTaskDesk } from "../tasks/desk.ts";
import type { GateContext } from "./gate.ts";

/** Whoever the agent's own changes are by. */
export const authorOf = ({ address }: Pick<TurnScope, "address">): string =>
  `agent:${address.agent}/${address.session}`;

/** What a tool is told of the call that it runs for. */
export function contextOf(
  { core, scope }: Pick<GateContext, "core" | "scope">,
  turn: RunningTurn,
  call: ToolCall,
  signal: AbortSignal,
): ToolContext {
  return {
    address: scope.address,
    turn: turn.id,
    zone: scope.zone,
    key: `${turn.id}/${call.call}`,
    op: `${sessionKey(scope.address)}${turn.id}/${call.call}`,
    author: authorOf(scope),
    signal,
    now: () => core.clock.now(),
    workspace: scope.workspace,
    tasks: createTaskDesk(core, turn, call.call),
    seen: (path) => lastSeen(core.context.view, path),
    fromOutside: () =>
      core
        .entriesOf(turn.id)
        .some(
          (entry) =>
            entry.kind === "delivered" || (entry.kind === "result" && !isOwnTool(entry.name)),
        ),
  };
}
