import type { Tool } from "../tools/tool.ts";
import type { Capability, SameTools } from "../turn/capability.ts";

export type MemoryParts = {
  /** What the model can do with its memory; none with `disableMemoryTools`. */
  readonly tools: readonly Tool[];
  /** What takes memory out of conversations; `null` with `disableMemoryHooks`: then nothing does, on no path. */
  readonly flush: Capability["later"] | null;
};

/** Memory as an agent has it. */
export const createMemoryCapability = ({ tools, flush }: MemoryParts): SameTools => ({
  name: "memory",
  tools: () => tools,
  ...(flush ? { later: flush } : {}),
});
