import type { ToolContext } from "../../src/tools/tool.ts";
import { noWorkspace } from "./no-workspace.ts";
import { noTasks } from "./no-tasks.ts";

/** What a tool gets beside its arguments, where nothing depends on it. */
export const toolContext = (given: Partial<ToolContext> = {}): ToolContext => ({
  address: { agent: "main", user: "ann", session: "s1" },
  turn: "t",
  zone: "UTC",
  key: "k",
  op: "v1/agents/main/users/ann/sessions/s1/k",
  author: "agent:main/s1",
  signal: new AbortController().signal,
  now: () => 0,
  workspace: noWorkspace,
  tasks: noTasks,
  seen: () => null,
  fromOutside: () => false,
  ...given,
});
