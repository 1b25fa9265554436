/** When a tool's result goes to a file instead of the conversation: AgentScope's `ToolResultEvictionConfig`, with its defaults. */
export type EvictionConfig = {
  /** Longer texts go to a file; default 80,000 characters. */
  readonly maxResultChars: number;
  /** So much of the beginning and of the end stays; default 2,000 characters each. */
  readonly previewChars: number;
  /** Tools whose results stay whatever they are. */
  readonly excludedToolNames: readonly string[];
};

/** Where evicted results lie, by session. */
export const EVICTED = "large_tool_results";

/** How long they are kept, in days. */
export const EVICTED_DAYS = 30;

export const defaultEviction: EvictionConfig = {
  maxResultChars: 80_000,
  previewChars: 2_000,
  excludedToolNames: [
    "read_file",
    "write_file",
    "edit_file",
    "grep_files",
    "glob_files",
    "list_files",
    "memory_search",
    "memory_get",
    "session_search",
  ],
};
