import { toAgentState, type AgentState } from "../../session/agent-state.ts";
import { readState } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";
import { toPermissionContext } from "../rights/permission-context.ts";

/** The session as one document: what the model sees of the conversation, what is allowed, and what came with an import. */
export function exportState(core: SessionCore): AgentState {
  const carried = readState(core.sql, "carried") ?? {};
  const { permissions, summary, groups, work, begun } = core;
  return toAgentState(core.platform.address, core.context.shown, begun?.id ?? null, {
    summary,
    groups,
    work,
    permission_context: toPermissionContext(permissions, carried.working_directories ?? []),
    carried,
  });
}
