/**
 * The places where a crash is interesting: around every storage commit, model call, tool call, RPC and
 * alarm. Production passes `noPoint`; tests pass one that ends the object at the k-th call.
 */
export type Point = (name: PointName) => void;

export type PointName =
  | `commit:${string}:before`
  | `commit:${string}:after`
  | "model:before"
  | "model:batch"
  | "model:after"
  | "tool:before"
  | "tool:after"
  | `rpc:${string}:before`
  | `rpc:${string}:after`
  | "alarm:before"
  | "alarm:after";

/** What is being committed. */
export type CommitName =
  | "accept"
  | "register"
  | "claim"
  | "start"
  | "attach"
  | "recover"
  | "attempt"
  | "retry"
  | "live"
  | "step"
  | "intent"
  | "result"
  | "stop"
  | "end"
  | "compact"
  | "shorten"
  | "ask"
  | "wait"
  | "answer"
  | "resume"
  | "steer"
  | "repair"
  | "permissions"
  | "plan"
  | "hold"
  | "wake"
  | "deliver"
  | "task"
  | "report"
  | "title"
  | "clear"
  | "import"
  | "delete"
  | "erase"
  | "job";

export const noPoint: Point = () => {};
