import type { SessionAddress } from "../../shared/session-address.ts";
import type { ServerTool } from "../../tools/tool.ts";
import type { Memory } from "../memory-client.ts";
import { memoryForget } from "./memory-forget.ts";
import { memoryGet } from "./memory-get.ts";
import { memorySave } from "./memory-save.ts";
import { memorySearch } from "./memory-search.ts";
import { sessionHistory } from "./session-history.ts";
import { sessionList } from "./session-list.ts";
import { sessionSearch } from "./session-search.ts";

export type MemoryToolParts = {
  /** The memory of the caller's bucket. */
  readonly memoryOf: (address: SessionAddress) => Pick<Memory, "forget">;
  /** Whether its users may forget what is in it: not where they share it, where only an admin does. */
  readonly canForget: boolean;
};

/** What the model can do with what it remembers, and with earlier conversations of the same person. */
export const createMemoryTools = ({
  memoryOf,
  canForget,
}: MemoryToolParts): readonly ServerTool[] => [
  memorySave,
  memorySearch,
  memoryGet,
  ...(canForget ? [memoryForget(memoryOf)] : []),
  sessionSearch,
  sessionList,
  sessionHistory,
];
