/** Tools that show nothing but the person's own files, memory and conversations, and the time; and the one for the answer. */
export const ownTools: readonly string[] = [
  "current_time",
  "delete_file",
  "edit_file",
  "generate_response",
  "glob_files",
  "grep_files",
  "list_files",
  "memory_forget",
  "memory_get",
  "memory_save",
  "memory_search",
  "move_file",
  "multi_edit",
  "plan_enter",
  "plan_exit",
  "plan_write",
  "propose_skill",
  "read_file",
  "session_history",
  "session_list",
  "session_search",
  "skill_manage",
  "todo_write",
  "write_file",
];

/** Whether a tool's result brings nothing from outside into a conversation. */
export const isOwnTool = (name: string): boolean => ownTools.includes(name);

/** The built-in tools that bring something from outside: from subagents, and from skills. */
const fromOutside: readonly string[] = [
  "agent_generate",
  "agent_list",
  "agent_send",
  "agent_spawn",
  "load_skill_through_path",
  "task_cancel",
  "task_list",
  "task_output",
  "wait_async_results",
];

/** Whether a tool is the framework's own: each ends soon, or waits without being at work. */
export const isBuiltIn = (name: string): boolean => isOwnTool(name) || fromOutside.includes(name);
